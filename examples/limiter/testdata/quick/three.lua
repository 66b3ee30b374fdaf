-- What every script of the limiter begins with: the clock.
--
-- KEYS: one for each charge, then what the script itself says.
-- ARGV: four words for each charge, then the time, if the caller brought one, or
-- '', then what the script itself says. The words of a charge are
--
--   word      the algorithm's letter; then letters of its mode, a for at most, r
--             for a limit that counts refused calls, s for shadow, p and z for one
--             whose use changes in proportion with the quota, or begins at zero;
--             then the units for each window, where they are not the capacity;
--             then, where the key is packed, a colon and the tag of its record
--   window    microseconds
--   capacity  the most that can be in use at once
--   cost      units
--
-- Times are microseconds and amounts are whole units, both below 2^53, so Lua's
-- doubles hold them exactly; lua/exact.lua divides products that are larger. A
-- number becomes text only through string.format: tostring and .. keep 14 digits.

local call = redis.call
local after = #ARGV - #ARGV % 4 -- so many words come before the time

-- The time is read once. A caller's own clock need not run like the server's,
-- which expires the keys: then they live so many milliseconds at least.
local now, least = ARGV[after + 1] or '', 60000
if now == '' then
  local time = call('TIME')
  now, least = time[1] * 1000000 + time[2], 1
else
  now = now + 0
end
local floor, ceil, byte, char = math.floor, math.ceil, string.byte, string.char

-- a * b / c, rounded down. It is exact where the result is below 2^53: a and b are
-- below 2^53, c below 2^45. A product that is too large for a double is divided
-- digit by digit, as on paper, in base 128.
local function muldiv(a, b, c)
  if a * b <= 9007199254740992 then return floor(a * b / c) end
  local whole = floor(b / c)
  local more = b - whole * c
  local result, rest, unit, left = 0, 0, 1, a
  while unit * 128 <= left do unit = unit * 128 end
  while unit >= 1 do
    local digit = floor(left / unit)
    left = left - digit * unit
    rest = rest * 128 + digit * more
    local n = floor(rest / c)
    result, rest, unit = result * 128 + n, rest - n * c, unit / 128
  end
  return result + whole * a
end
-- The state of a sliding counter: window number (3 bytes), older count (4), newer
-- count (4), written and read at once: loops would take longer than all the rest.

local function counter_state(n, older, newer)
  return char(floor(n / 65536) % 256, floor(n / 256) % 256, n % 256,
    floor(older / 16777216), floor(older / 65536) % 256, floor(older / 256) % 256, older % 256,
    floor(newer / 16777216), floor(newer / 65536) % 256, floor(newer / 256) % 256, newer % 256)
end

local function counter_fields(state)
  local a, b, c, d, e, f, g, h, i, j, k = byte(state, 1, 11)
  return (a * 256 + b) * 256 + c, ((d * 256 + e) * 256 + f) * 256 + g, ((h * 256 + i) * 256 + j) * 256 + k
end

-- What a count of the window before still weighs, rounded up, when so much of one
-- is over.
local function faded(count, into, window) return count - muldiv(count, into, window) end
-- The state of a bucket, 28 bytes, seven for each number: what is in use, in
-- millionths of a unit; when that was true, in microseconds; the quota at which it
-- drains; and up to when nothing comes back (see lua/charge.lua). They are written
-- and read at once: loops would take longer than all the rest.
local function seven(n)
  local a, b = floor(n / 4294967296), n % 4294967296
  return char(floor(a / 65536), floor(a / 256) % 256, a % 256,
    floor(b / 16777216), floor(b / 65536) % 256, floor(b / 256) % 256, b % 256)
end

local function bucket_state(held, since) return seven(held) .. seven(since) end

local function number_of(s)
  local a, b, c, d, e, f, g = byte(s, 1, 7)
  return (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g
end

local function bucket_fields(state)
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n = byte(state, 1, 14)
  return (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g,
    (((((h * 256 + i) * 256 + j) * 256 + k) * 256 + l) * 256 + m) * 256 + n
end

-- Draining is rounded down: a write may lose less than a millionth of a unit,
-- never win one.
local function drained(elapsed, quota, window) return muldiv(elapsed, quota * 1000000, window) end

-- The least time in which that much drains, at most some 285 years: beyond them
-- t + 1 would be t, and the loop would hold Redis for ever.
local function draining(amount, quota, window)
  if quota == 0 then return window end -- never; a whole window later the key may go
  local product = amount * window
  local t = ceil(product / (quota * 1000000))
  if t > 9e15 then return 9e15 end
  if product > 9007199254740992 then t = math.max(0, t - 1 - ceil(t / 1e15)) end -- rounded
  while drained(t, quota, window) < amount do t = t + 1 end
  return t
end
repeat
-- Token and leaky buckets: one state serves both, what is in use and when that was
-- true. It drains at quota per window, so a new quota or burst is right from the
-- next call on.
local window_1, capacity_1 = ARGV[4 * 1 - 2] + 0, ARGV[4 * 1 - 1] + 0
local quota_1 = tonumber(string.sub(ARGV[4 * 1 - 3], 2)) or capacity_1
-- [bucket]
local held_1, since_1, left_1, plan_1 = 0, now, 0, seven(quota_1)
local changed_1 = seven(now - 1)
local value_1 = call('GET', KEYS[1])
if value_1 then
  if #value_1 ~= 28 or string.sub(value_1, 15, 21) ~= plan_1 then break end
  held_1, since_1 = bucket_fields(value_1)
  if since_1 > now then break end -- the clock went back
  left_1 = math.max(0, held_1 - drained(now - since_1, quota_1, window_1))
  local stored = string.sub(value_1, 22)
  if left_1 > 0 or number_of(stored) >= now then changed_1 = stored end
end
local level_1 = left_1 + ARGV[4 * 1] * 1000000
if level_1 > (capacity_1 - 1) * 1000000 then break end
local used_1, state_1, life_1 = ceil(left_1 / 1000000), bucket_state(level_1, now) .. plan_1 .. changed_1, draining(level_1, quota_1, window_1)
-- [/bucket]
-- In a leaky bucket what is in use goes first, reckoned from the stored moment:
-- from now it could be a microsecond too long.
local delay_1 = left_1 > 0 and since_1 + draining(held_1, quota_1, window_1) - now or 0
-- Fixed window: a key of its own holds one integer, the count and then nine
-- digits of the window's number, because Redis stores an integer in the least
-- memory. Counts that Lua could not hold exactly, with the window, go the long way.
local window_2, used_2 = ARGV[4 * 2 - 2] + 0, 0
local into_2 = now % window_2
local index_2 = (now - into_2) / window_2 % 1000000000
local value_2 = call('GET', KEYS[2])
if value_2 then
  if not string.find(value_2, '^[1-9]%d*$') then break end
  local count = value_2 - index_2
  if count <= 0 or count > 9e15 or count % 1000000000 ~= 0 then break end
  used_2 = count / 1000000000
end
if used_2 + ARGV[4 * 2] > 9e6 then break end
local refused_2 = used_2 + ARGV[4 * 2] > ARGV[4 * 2 - 1] + 0
if refused_2 then break end
-- Sliding counter: the counts of two neighbouring windows; the older one fades as
-- the newer one runs.
local window_3, older_3, newer_3 = ARGV[4 * 3 - 2] + 0, 0, 0
local into_3 = now % window_3
local index_3 = (now - into_3) / window_3 % 16777216
local value_3 = call('GET', KEYS[3])
if value_3 then
  if #value_3 ~= 11 then break end
  local stored, before, count = counter_fields(value_3)
  if stored == index_3 then
    older_3, newer_3 = before, count
  elseif stored == index_3 - 1 then
    older_3 = count
  else
    break
  end
end
local used_3 = faded(older_3, into_3, window_3) + newer_3
if used_3 + ARGV[4 * 3] >= ARGV[4 * 3 - 1] + 0 then break end
local state_3, life_3 = counter_state(index_3, older_3, newer_3 + ARGV[4 * 3]), 2 * window_3 - into_3
call('PSETEX', KEYS[1], string.format('%d', life_1 / 1000 + 2 * least), state_1)
-- A key that outlives its window is only counted up, which is the cheapest write.
-- One that would not, because it is new or something took its expiry, is written
-- whole: so every write heals.
if value_2 and call('PTTL', KEYS[2]) - least >= (window_2 - into_2) / 1000 then
  call('INCRBY', KEYS[2], ARGV[4 * 2] .. '000000000')
else
  call('PSETEX', KEYS[2], string.format('%d', window_2 / 1000 + 2 * least), string.format('%d%09d', used_2 + ARGV[4 * 2], index_2))
end
call('PSETEX', KEYS[3], string.format('%d', life_3 / 1000 + 2 * least), state_3)
return { now, used_1, life_1, delay_1, used_2, used_3 }
until true
