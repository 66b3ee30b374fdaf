-- What every script of the limiter begins with: the clock and numbers as bytes.
-- After it come the algorithms that the call's charges need, and no others: to
-- define a function costs Redis as much as to call one.
--
-- Times are microseconds and amounts are whole units, both far below 2^53, so
-- Lua's doubles hold them exactly. A number becomes text only through
-- string.format: tostring and .. keep 14 digits.
--
-- Each algorithm is a table of functions over a charge c, which has the fields
-- quota, window, capacity, packed and now:
--
--   load(c, state)    reads the stored state, or nil, into c
--   used(c)           units in use, rounded up
--   wait(c, n)        microseconds until n units are free, if no one else calls
--   reset(c)          microseconds until nothing is in use
--   take(c, n)        uses n units
--   give(c, n, at)    gives back at most n units that were taken at that time and
--                     still count; tells how many
--   save(c)           the state to store, nil when nothing is in use, and how
--                     many microseconds it must live

local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local sub, find, format = string.sub, string.find, string.format

local algorithms = {} -- by the letter that stands for them
local records         -- how a packed key holds several states; nil without one

-- The server's clock, read once, unless the caller brought a time.
local now
if ARGV[1] ~= '' then
  now = tonumber(ARGV[1])
else
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
end

-- n as width bytes, the high byte first; what does not fit is cut off.
local function bytes(n, width)
  local b = {}
  for i = width, 1, -1 do
    b[i] = n % 256
    n = floor(n / 256)
  end
  return string.char(unpack(b))
end

local function number(s, from, to)
  local n = 0
  for i = from, to do n = n * 256 + string.byte(s, i) end
  return n
end

-- Whole windows from the stored one to the current one. Window numbers are
-- stored modulo 2^24 or 10^9; a negative answer means that the clock went back.
local function passed(current, stored, modulus)
  local d = (current - stored) % modulus
  if d > modulus / 2 then return d - modulus end
  return d
end
