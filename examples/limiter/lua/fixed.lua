---------------------------------------------------------------- fixed window
-- Windows are aligned to the clock. In a packed key the state is three bytes of
-- the window's number and then the count; else see lua/quick. A bare count,
-- such as a broken INCR leaves behind, counts in the current window.

local fixed = {}
algorithms.f = fixed
fixed.most = 2e12 -- the most that is counted, far above any quota

function fixed.tailed(c, state)
  if c.packed then return #state > 9 end
  return #state > 14 and find(state, '%D')
end

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
  if d > 0 then count = 0 end
  if d < -1 then c.ahead = (index - d + 1) * c.window end -- the clock went back: it counts now
  if d ~= -1 then d = 0 end
  c.index, c.count = index - d, count
end

function fixed.plan(c, new, old)
  if new and old > 0 then c.count = min(2e12, ceil(c.count * new / old)) end
end

function fixed.empty(c) return c.count <= 0 end
function fixed.memory(c) return 2 * c.window end
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
  local life = max(c.window, fixed.wait(c))
  if not c.packed then
    return format('%d%09d', c.count, c.index % 1000000000), life
  end
  local width = 1
  while c.count >= 256 ^ width do width = width + 1 end
  return bytes(c.index, 3) .. bytes(c.count, width), life
end
