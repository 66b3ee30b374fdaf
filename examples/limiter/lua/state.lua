------------------------------------------------------------- charges and keys

-- The value of each key of the call, read once; false where there is none.
local values = {}

-- The i-th charge, loaded. ARGV holds seven words for each, from the fourth on.
local function charge(i)
  local a, key = 7 * i - 3, KEYS[i]
  local algorithm, tag = algorithms[ARGV[a]], ARGV[a + 6]
  local c = {
    key = key,
    now = now,
    algorithm = algorithm,
    quota = tonumber(ARGV[a + 1]),
    window = tonumber(ARGV[a + 2]),
    capacity = tonumber(ARGV[a + 3]),
    cost = tonumber(ARGV[a + 4]),
    tag = tag,
    packed = tag ~= '',
  }
  local value = values[key]
  if value == nil then
    value = redis.call('GET', key)
    values[key] = value
  end
  c.state = value or nil
  if c.packed then c.state = records.read(value, tag) end
  algorithm.load(c, c.state)
  return c
end

-- A caller's clock need not run like the server's, which expires the keys; such
-- keys live a minute at least.
local least = ARGV[1] == '' and 1 or 60000

-- Writes a charge's state with an expiry past its last useful moment: whatever
-- leaked before is healed by every write. (Redis turns the arguments of its
-- calls into text itself, with 17 digits.)
local function write(c)
  local key = c.key
  local value, life = c.algorithm.save(c)
  if c.packed then value = records.replaced(values[key], c.tag, value) end
  values[key] = value or false
  if not value then
    redis.call('DEL', key)
    return
  end
  local ms = max(ceil((life or 0) / 1000) + 1, least)
  if c.packed then ms = max(ms, redis.call('PTTL', key)) end
  redis.call('SET', key, value, 'PX', ms)
end

-- Adds the numbers of one charge to a reply.
local function report(reply, c, granted, wait, delay, verdict)
  local n, used = #reply, c.algorithm.used(c)
  reply[n + 1] = granted
  reply[n + 2] = used
  reply[n + 3] = c.quota > 0 and max(0, c.capacity - used) or 0
  reply[n + 4] = wait
  reply[n + 5] = c.algorithm.reset(c)
  reply[n + 6] = delay
  reply[n + 7] = verdict
end
