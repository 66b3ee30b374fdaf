------------------------------------------------------------- charges and keys

-- The value of each key of the call, read once; false where there is none.
local values = {}
local changes = false -- whether any charge's plan changed, or the clock went back

-- A tail of 14 bytes follows a state whose plan matters: the quota, and a moment up
-- to which nothing that was taken can come back, because the state began then, the
-- plan changed or the clock went back: units from before cannot be told from units
-- after it. Buckets always have a tail, and limits that scale or reset with the
-- plan; others have one for a while after the clock went back.
local function planned(c) return c.kind == 'b' or c.kind == 'q' or find(c.mode, '[pz]') end

local function untail(c, state)
  local size = #state - 14
  if not c.algorithm.tailed(c, state) then return state end
  -- No text passes for a tail: numbers below 2^53 begin with a byte below 32.
  if byte(state, size + 1) > 31 or byte(state, size + 8) > 31 then return state end
  c.planned = number(state, size + 1, size + 7)
  c.changed = number(state, size + 8, size + 14)
  c.rate = c.planned
  return sub(state, 1, size)
end

-- How far a clock may step back between two calls, in microseconds, so that units
-- from before a change of plan have a time after it.
local step = 1000000

-- Notes that what was taken up to now, or to the moment ahead, cannot come back.
local function cut(c, slack) c.changed = max(c.changed, c.now + slack, c.ahead or 0) end

-- Applies the plan of the call to what is stored under another one.
local function replan(c)
  local old, proportional, reset = c.planned or c.quota, find(c.mode, 'p'), find(c.mode, 'z')
  local other = old ~= c.quota
  local forgiven
  if other and reset then
    c.algorithm.load(c, nil)
    c.rate = c.quota
  elseif other or c.kind == 'b' or c.kind == 'q' then
    forgiven = c.algorithm.plan(c, other and proportional and c.quota, old)
  end
  if c.ahead or forgiven or other and (reset or proportional or c.quota < old) then
    cut(c, other and proportional and step or 0)
    changes = true
  end
  c.dirty = c.ahead or forgiven or other
end

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
    changed = 0,
  }
  c.rate = c.quota
  local value = values[key]
  if value == nil then
    value = call('GET', key)
    values[key] = value
  end
  c.state = value or nil
  if c.packed then c.state = records.read(value, tag) end
  algorithm.load(c, c.state and untail(c, c.state))
  if c.state then replan(c) end
  -- Nothing is in use that was taken before: a plan with a lower rate must not
  -- make it count again.
  if planned(c) and algorithm.empty(c) then c.changed = max(c.changed, now - 1) end
  return c
end

-- What a key must live, in words of Redis: to the end of the last millisecond in
-- which it counts. A number would be written with 17 digits, which takes longer.
local function milliseconds(life) return format('%d', max(ceil(life / 1000) + 1, least)) end

-- The state to store, nil when nothing is in use, and how many microseconds it
-- must live.
local function saved(c)
  local remembered, tail = 0, planned(c)
  if c.changed > (tail and c.now or 0) then remembered = c.changed + c.algorithm.memory(c) - c.now end
  if c.algorithm.empty(c) and remembered <= 0 then return nil end
  local value, life = c.algorithm.save(c)
  if tail or remembered > 0 then
    value = value .. bytes(c.quota, 7) .. bytes(c.changed, 7)
  end
  return value, max(life, remembered)
end

-- Writes a charge's state with an expiry past its last useful moment: whatever
-- leaked before is healed by every write.
local function write(c)
  local key = c.key
  local value, life = saved(c)
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
