------------------------------------------------------------- sliding counter
local counter = {}
algorithms.c = counter

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
  end
  d = min(d, 0)
  c.index, c.before, c.count = index - d, before, count
  c.elapsed = max(0, c.now - c.index * c.window)
end

function counter.used(c) return faded(c.before, c.elapsed, c.window) + c.count end

-- The first moment of a window at which a count before it weighs at most room.
local function fades(c, count, room)
  if count <= room then return 0 end
  local e = max(0, ceil(c.window - room * c.window / count))
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
  if c.count + c.before <= 0 then return nil end
  return counter_state(c.index, c.before, c.count), counter.reset(c)
end
