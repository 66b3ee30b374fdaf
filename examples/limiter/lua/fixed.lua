---------------------------------------------------------------- fixed window
-- Windows are aligned to the clock. In a packed key the state is three bytes of
-- the window's number and then the count; else see lua/quick. A bare count,
-- such as a broken INCR leaves behind, counts in the current window.

local fixed = {}
algorithms.f = fixed

function fixed.load(c, state)
  local index, count, d = floor(c.now / c.window), 0, 0
  if state and c.packed then
    count = number(state, 4, #state)
    d = passed(index, number(state, 1, 3), 16777216)
  elseif state then
    if not find(state, '^%d+$') then error('the key holds no counter') end
    c.undated = #state <= 9
    count = tonumber(c.undated and state or sub(state, 1, -10))
    d = c.undated and 0 or passed(index, sub(state, -9), 1000000000)
  end
  if d > 0 then count, d = 0, 0 end
  c.index, c.count = index - d, count
end

function fixed.used(c) return c.count end
function fixed.wait(c) return (c.index + 1) * c.window - c.now end
function fixed.reset(c) return c.count > 0 and fixed.wait(c) or 0 end
function fixed.take(c, n) c.count = c.count + n end

function fixed.give(c, n, at)
  if floor(at / c.window) ~= c.index then return 0 end
  n = min(n, c.count)
  c.count = c.count - n
  return n
end

function fixed.save(c)
  if c.count <= 0 then return nil end
  local life = max(c.window, fixed.wait(c))
  if not c.packed then
    return format('%d%09d', c.count, c.index % 1000000000), life
  end
  local width = 1
  while c.count >= 256 ^ width do width = width + 1 end
  return bytes(c.index, 3) .. bytes(c.count, width), life
end
