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
