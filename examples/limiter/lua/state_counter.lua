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
