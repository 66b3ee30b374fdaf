---------------------------------------------------- token and leaky buckets
local bucket = {}
algorithms.b, algorithms.q = bucket, bucket
local unit = 1000000

-- held is what was in use at the time since; level is what of it is left now.
local function hold(c, held, since)
  c.held, c.since = held, since
  c.level = max(0, held - drained(c.at - since, c.quota, c.window))
end

function bucket.load(c, state)
  c.at = c.now
  if not state then return hold(c, 0, c.now) end
  if #state ~= 14 then error('the key holds no bucket') end
  local held, since = bucket_fields(state)
  c.at = max(c.now, since) -- a clock that went back drains nothing twice
  hold(c, held, since)
end

function bucket.used(c) return ceil(c.level / unit) end

-- Until no more than that is left. Reckoned from the stored moment: from now it
-- could be a microsecond too long.
local function until_left(c, amount)
  if c.level <= amount then return 0 end
  return c.since + draining(c.held - amount, c.quota, c.window) - c.now
end

function bucket.wait(c, n) return until_left(c, (c.capacity - n) * unit) end
function bucket.reset(c) return until_left(c, 0) end
function bucket.take(c, n) hold(c, c.level + n * unit, c.at) end

-- Of what was taken then, only what has not drained since can come back.
function bucket.give(c, n, at)
  local left = c.capacity * unit - drained(max(0, c.at - at), c.quota, c.window)
  local given = floor(max(0, min(n * unit, c.level, left)) / unit)
  if given > 0 then hold(c, c.level - given * unit, c.at) end
  return given
end

function bucket.save(c)
  if c.level <= 0 then return nil end
  return bucket_state(c.held, c.since), bucket.reset(c)
end
