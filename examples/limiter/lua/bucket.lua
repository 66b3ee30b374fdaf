---------------------------------------------------- token and leaky buckets
-- One state serves both: what is in use, in millionths of a unit, and when that
-- was true. It drains at quota per window, so a new quota or burst is right
-- from the next call on. State: in use (7 bytes), microseconds (7 bytes).
--
-- Draining is rounded down: a write may lose less than a millionth of a unit,
-- never win one.

-- Seven bytes at once: a loop would take longer than all the rest.
local function seven(n)
  return string.char(floor(n / 281474976710656) % 256, floor(n / 1099511627776) % 256,
    floor(n / 4294967296) % 256, floor(n / 16777216) % 256, floor(n / 65536) % 256,
    floor(n / 256) % 256, n % 256)
end

local function seven_at(s, i)
  local a, b, c, d, e, f, g = string.byte(s, i, i + 6)
  return (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g
end

local bucket = {}
algorithms.b, algorithms.q = bucket, bucket
local unit = 1000000

local function drained(c, elapsed) return floor(elapsed * c.quota * unit / c.window) end

-- The least time in which that much drains.
local function draining(c, amount)
  if c.quota == 0 then return c.window end -- never; a whole window later the key may go
  local t = ceil(amount * c.window / (c.quota * unit))
  while drained(c, t) < amount do t = t + 1 end
  return t
end

-- held is what was in use at the time since; level is what of it is left now.
local function hold(c, held, since)
  c.held, c.since = held, since
  c.level = max(0, held - drained(c, c.at - since))
end

function bucket.load(c, state)
  c.at = c.now
  if not state then return hold(c, 0, c.now) end
  if #state ~= 14 then error('the key holds no bucket') end
  local since = seven_at(state, 8)
  c.at = max(c.now, since) -- a clock that went back drains nothing twice
  hold(c, seven_at(state, 1), since)
end

function bucket.used(c) return ceil(c.level / unit) end

-- Until no more than that is left. Reckoned from the stored moment: from now it
-- could be a microsecond too long.
local function until_left(c, amount)
  if c.level <= amount then return 0 end
  return c.since + draining(c, c.held - amount) - c.now
end

function bucket.wait(c, n) return until_left(c, (c.capacity - n) * unit) end
function bucket.reset(c) return until_left(c, 0) end
function bucket.take(c, n) hold(c, c.level + n * unit, c.at) end

-- Of what was taken then, only what has not drained since can come back.
function bucket.give(c, n, at)
  local left = c.capacity * unit - drained(c, max(0, c.at - at))
  local given = floor(max(0, min(n * unit, c.level, left)) / unit)
  if given > 0 then hold(c, c.level - given * unit, c.at) end
  return given
end

function bucket.save(c)
  if c.level <= 0 then return nil end
  return seven(c.held) .. seven(c.since), bucket.reset(c)
end
