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
