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
repeat
-- Fixed window: a key of its own holds one integer, the count and then nine
-- digits of the window's number, because Redis stores an integer in the least
-- memory. Counts that Lua could not hold exactly, with the window, go the long way.
local window_1, used_1 = ARGV[4 * 1 - 2] + 0, 0
local into_1 = now % window_1
local index_1 = (now - into_1) / window_1 % 1000000000
local value_1 = call('GET', KEYS[1])
if value_1 then
  if not string.find(value_1, '^[1-9]%d*$') then break end
  local count = value_1 - index_1
  if count <= 0 or count > 9e15 or count % 1000000000 ~= 0 then break end
  used_1 = count / 1000000000
end
if used_1 + ARGV[4 * 1] > 9e6 then break end
local refused_1 = used_1 + ARGV[4 * 1] > ARGV[4 * 1 - 1] + 0
if refused_1 then
-- A refusal writes nothing; a key that would never expire the long way mends.
if refused_1 and value_1 and call('PTTL', KEYS[1]) < 0 then break end
return { -now, used_1 }
end
-- A key that outlives its window is only counted up, which is the cheapest write.
-- One that would not, because it is new or something took its expiry, is written
-- whole: so every write heals.
if value_1 and call('PTTL', KEYS[1]) - least >= (window_1 - into_1) / 1000 then
  call('INCRBY', KEYS[1], ARGV[4 * 1] .. '000000000')
else
  call('PSETEX', KEYS[1], string.format('%d', window_1 / 1000 + 2 * least), string.format('%d%09d', used_1 + ARGV[4 * 1], index_1))
end
return { now, used_1 }
until true
