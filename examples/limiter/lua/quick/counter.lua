-- Sliding counter: the counts of two neighbouring windows; the older one fades as
-- the newer one runs. State: window number (3 bytes), older count (4), newer
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

-- What a count of the window before still weighs when so much of one is over.
local function faded(count, into, window) return ceil(count * (window - into) / window) end

function quick.c(state, _, window, capacity, cost)
  local into = now % window
  local index, older, newer = (now - into) / window % 16777216, 0, cost
  if state then
    if #state ~= 11 then return end
    local stored, before, count = counter_fields(state)
    if stored == index then
      older, newer = before, count + cost
    elseif stored == index - 1 then
      older = count
    else
      return
    end
  end
  local used = faded(older, into, window) + newer
  if used >= capacity then return end
  return counter_state(index, older, newer), used, 2 * window - into, 0
end
