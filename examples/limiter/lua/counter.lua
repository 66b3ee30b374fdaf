------------------------------------------------------------- sliding counter
local counter = {}
algorithms.c = counter
counter.most = 2e9 -- the most that is counted: four bytes hold it

function counter.tailed(_, state) return #state == 25 end

function counter.load(c, state)
  local index, before, count, d = floor(c.now / c.window), 0, 0, 0
  if state then
    if #state ~= 11 then error('the key holds no sliding counter') end
    local stored
    stored, before, count = counter_fields(state)
    d = passed(index, stored, 16777216)
  end
  if d == 1 then
    before, count = count, 0
  elseif d > 1 then
    before, count = 0, 0
  elseif d < -1 then -- the clock went back: what was counted fades in this window
    c.ahead = (index - d + 1) * c.window
    before, count = before + count, 0
  end
  if d ~= -1 then d = 0 end
  c.index, c.before, c.count = index - d, before, count
  c.elapsed = max(0, c.now - c.index * c.window)
end

function counter.plan(c, new, old)
  if new and old > 0 then
    c.before, c.count = min(2e9, ceil(c.before * new / old)), min(2e9, ceil(c.count * new / old))
  end
end

function counter.empty(c) return c.count + c.before <= 0 end
function counter.used(c) return faded(c.before, c.elapsed, c.window) + c.count end

-- The first moment of a window at which a count before it weighs at most room.
local function fades(c, count, room)
  if count <= room then return 0 end
  local e = max(0, ceil(c.window - room * c.window / count) - 1) -- the product may be rounded
  while faded(count, e, c.window) > room do e = e + 1 end
  return e
end

function counter.wait(c, n)
  local begin = c.index * c.window - c.now
  local room = c.capacity - n - c.count
  if room >= 0 then return begin + fades(c, c.before, room) end
  return begin + c.window + fades(c, c.count, c.capacity - n)
end

function counter.reset(c)
  if c.count > 0 then return (c.index + 2) * c.window - c.now end
  if c.before > 0 then return (c.index + 1) * c.window - c.now end
  return 0
end

function counter.memory(c) return 2 * c.window end
function counter.take(c, n) c.count = c.count + n end

function counter.give(c, n, at)
  local age = c.index - floor(at / c.window)
  if age == 0 then
    n = min(n, c.count)
    c.count = c.count - n
    return n
  end
  if age == 1 then
    n = min(n, c.before)
    c.before = c.before - n
    return n
  end
  return 0
end

function counter.save(c)
  return counter_state(c.index, c.before, c.count), counter.reset(c)
end
