------------------------------------------------------------- sliding counter
-- The counts of two neighbouring windows; the older one fades as the newer one
-- runs. State: window number (3 bytes), older count (4), newer count (4).

-- The state as bytes, all at once: loops would take longer than all the rest.
local function eleven(n, p, q)
  return string.char(floor(n / 65536) % 256, floor(n / 256) % 256, n % 256,
    floor(p / 16777216) % 256, floor(p / 65536) % 256, floor(p / 256) % 256, p % 256,
    floor(q / 16777216) % 256, floor(q / 65536) % 256, floor(q / 256) % 256, q % 256)
end

local function from_eleven(s)
  local a, b, c, d, e, f, g, h, i, j, k = string.byte(s, 1, 11)
  return (a * 256 + b) * 256 + c, ((d * 256 + e) * 256 + f) * 256 + g, ((h * 256 + i) * 256 + j) * 256 + k
end

local counter = {}
algorithms.c = counter

function counter.load(c, state)
  local index, before, count, d = floor(c.now / c.window), 0, 0, 0
  if state then
    if #state ~= 11 then error('the key holds no sliding counter') end
    local stored
    stored, before, count = from_eleven(state)
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

-- What a count of the window before still weighs when e of the window is over.
local function faded(c, count, e) return ceil(count * (c.window - e) / c.window) end

function counter.used(c) return faded(c, c.before, c.elapsed) + c.count end

-- The first moment of a window at which a count before it weighs at most room.
local function fades(c, count, room)
  if count <= room then return 0 end
  local e = max(0, ceil(c.window - room * c.window / count))
  while faded(c, count, e) > room do e = e + 1 end
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
  return eleven(c.index, c.before, c.count), counter.reset(c)
end
