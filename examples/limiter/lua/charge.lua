------------------------------------------------------------- charges and keys

-- The value of each key of the call, read once; false where there is none.
local values = {}

-- The i-th charge, loaded.
local function charge(i)
  local a, key = 4 * i, KEYS[i]
  local kind, mode, quota, tag = ARGV[a - 3], '', '', ''
  if #kind > 1 then kind, mode, quota, tag = string.match(kind, '^(%l)(%l*)(%d*):?(.*)$') end
  local algorithm = algorithms[kind]
  local capacity = tonumber(ARGV[a - 1])
  local c = {
    key = key,
    now = now,
    algorithm = algorithm,
    quota = tonumber(quota) or capacity,
    window = tonumber(ARGV[a - 2]),
    capacity = capacity,
    cost = tonumber(ARGV[a]),
    kind = kind,
    mode = mode,
    tag = tag,
    packed = tag ~= '',
  }
  local value = values[key]
  if value == nil then
    value = call('GET', key)
    values[key] = value
  end
  c.state = value or nil
  if c.packed then c.state = records.read(value, tag) end
  algorithm.load(c, c.state)
  return c
end

-- What a key must live, in words of Redis: to the end of the last millisecond in
-- which it counts. A number would be written with 17 digits, which takes longer.
local function milliseconds(life) return format('%d', max(ceil(life / 1000) + 1, least)) end

-- Writes a charge's state with an expiry past its last useful moment: whatever
-- leaked before is healed by every write.
local function write(c)
  local key = c.key
  local value, life = c.algorithm.save(c)
  if c.packed then value = records.replaced(values[key], c.tag, value) end
  values[key] = value or false
  if not value then
    call('DEL', key)
    return
  end
  local ms = milliseconds(life or 0)
  if c.packed then ms = format('%d', max(ms, call('PTTL', key))) end
  call('PSETEX', key, ms, value)
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
