---------------------------------------------------- token and leaky buckets
local bucket = {}
algorithms.b, algorithms.q = bucket, bucket
local unit = 1000000

function bucket.tailed(_, state) return #state == 28 end

-- held is what was in use at the time since; level is what of it is left now. Up
-- to now it drains at the rate of the quota at which it was stored.
local function hold(c, held, since)
  c.held, c.since = held, since
  c.level = max(0, held - drained(c.at - since, c.rate, c.window))
end

function bucket.load(c, state)
  c.at = c.now
  if not state then return hold(c, 0, c.now) end
  if #state ~= 14 then error('the key holds no bucket') end
  local held, since = bucket_fields(state)
  if since > c.now + c.window then c.ahead, since = since, c.now end
  c.at = max(c.now, since) -- a clock that went back drains nothing twice
  hold(c, held, since)
end

-- Another quota: what is in use stays, or changes by new / old, and drains at the
-- new rate from now on. What is above the capacity is forgiven, so that nobody
-- waits longer than the bucket takes to drain. Returns whether any of it was.
function bucket.plan(c, new, old)
  local level, full = c.level, c.capacity * unit
  if c.rate == c.quota and level <= full then return false end
  if new and old > 0 then level = ceil(level * new / old) end
  c.rate = c.quota
  hold(c, min(level, full), c.at)
  return level > full
end

function bucket.empty(c) return c.level <= 0 end
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

-- How long a bucket can hold what was taken once.
function bucket.memory(c) return max(2 * c.window, draining(c.capacity * unit, c.quota, c.window)) end

-- Of what was taken then, what has not drained since comes back, as though it had
-- begun to drain at once. So all that can still come back is never more than what
-- is in use, and no refund gives away what others have taken. A part of a unit
-- counts as one in the answer.
function bucket.give(c, n, at)
  local left = n * unit - drained(max(0, c.at - at), c.quota, c.window)
  local given = max(0, min(left, c.level))
  if given > 0 then hold(c, c.level - given, c.at) end
  return ceil(given / unit)
end

function bucket.save(c) return bucket_state(c.held, c.since), bucket.reset(c) end
