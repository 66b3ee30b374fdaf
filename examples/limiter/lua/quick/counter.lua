-- Sliding counter: the counts of two neighbouring windows; the older one fades as
-- the newer one runs.
local window_i, older_i, newer_i = ARGV[4 * i - 2] + 0, 0, 0
local into_i = now % window_i
local index_i = (now - into_i) / window_i % 16777216
local value_i = call('GET', KEYS[i])
if value_i then
  if #value_i ~= 11 then break end
  local stored, before, count = counter_fields(value_i)
  if stored == index_i then
    older_i, newer_i = before, count
  elseif stored == index_i - 1 then
    older_i = count
  else
    break
  end
end
local used_i = faded(older_i, into_i, window_i) + newer_i
if used_i + ARGV[4 * i] >= ARGV[4 * i - 1] + 0 then break end
local state_i, life_i = counter_state(index_i, older_i, newer_i + ARGV[4 * i]), 2 * window_i - into_i
