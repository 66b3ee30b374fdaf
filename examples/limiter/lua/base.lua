-- What every script of the limiter begins with: its arguments and the clock.
--
-- KEYS: one for each charge, then what the script itself says.
-- ARGV: five words for each charge, then the time, if the caller brought one, or
-- '', then what the script itself says. The words of a charge are
--
--   word      the algorithm's letter; then letters of its mode, a for at most, r
--             for a limit that counts refused calls, s for shadow; then, where
--             the key is packed, a colon and the tag of its record
--   quota     units for each window
--   window    microseconds
--   capacity  the most that can be in use at once
--   cost      units
--
-- Times are microseconds and amounts are whole units, both far below 2^53, so
-- Lua's doubles hold them exactly. A number becomes text only through
-- string.format: tostring and .. keep 14 digits.

local call = redis.call
local floor, ceil, max = math.floor, math.ceil, math.max
local byte, char, format = string.byte, string.char, string.format

local charges = floor(#ARGV / 5)
local after = 5 * charges -- so many words come before the time

-- The time is read once. A caller's own clock need not run like the server's,
-- which expires the keys: then they live so many milliseconds at least.
local now, least = tonumber(ARGV[after + 1]), 60000
if not now then
  local t = call('TIME')
  now, least = t[1] * 1000000 + t[2], 1
end

-- The quick way of each algorithm, by its letter: a function of the stored state
-- or false, quota, window, capacity, cost and that letter. It gives the new state,
-- what is used then, how long until nothing is, when to start and, where that is
-- longer, what the state must live; or nothing, where the long way must decide.
local quick = {}

-- What a key must live, in words of Redis: to the end of the last millisecond in
-- which it counts. A number would be written with 17 digits, which takes longer.
local function milliseconds(life) return format('%d', max(ceil(life / 1000) + 1, least)) end
