-- The long way begins: it decides every call that can be made. What it needs
-- stands here and in the files of the algorithms that the call needs, and of no
-- others: to define a function costs Redis as much as to call one.
--
-- Each algorithm is a table of functions over a charge c, which has the fields
-- quota, window, capacity, packed, now and rate (the quota before the last change):
--
--   tailed(c, state)  whether the stored state ends with a tail, see lua/charge.lua
--   load(c, state)    reads the stored state, or nil, into c; sets c.ahead to the
--                     last moment that was stored, where that is more than a
--                     window after now
--   plan(c, new, old) changes to the quota of c; with new and old, what is in use
--                     changes in proportion; returns whether any use is forgiven
--   used(c)           units in use, rounded up
--   empty(c)          whether nothing is in use
--   wait(c, n)        microseconds until n units are free, if no one else calls
--   reset(c)          microseconds until nothing is in use
--   memory(c)         microseconds for which a unit can count, at most
--   take(c, n)        uses n units
--   give(c, n, at)    gives back at most n units that were taken at that time and
--                     still count; returns how many
--   save(c)           the state to store and how many microseconds it must live

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local byte, char, sub, find, format = string.byte, string.char, string.sub, string.find, string.format
local charges = after / 4

local algorithms = {} -- by the letter that stands for them
local records         -- how a packed key holds several states; nil without one

-- n as width bytes, the high byte first; what does not fit is cut off.
local function bytes(n, width)
  local b = {}
  for i = width, 1, -1 do
    b[i] = n % 256
    n = floor(n / 256)
  end
  return char(unpack(b))
end

local function number(s, from, to)
  local n = 0
  for i = from, to do n = n * 256 + byte(s, i) end
  return n
end

-- Whole windows from the stored one to the current one. Window numbers are
-- stored modulo 2^24 or 10^9; a negative answer means that the clock went back.
local function passed(current, stored, modulus)
  local d = (current - stored) % modulus
  if d > modulus / 2 then return d - modulus end
  return d
end
