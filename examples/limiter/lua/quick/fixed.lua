-- Fixed window: a key of its own holds one integer, the count and then nine
-- digits of the window's number, because Redis stores an integer in the least
-- memory. Counts that Lua could not hold exactly, with the window, go the long way.
local window_i, used_i = ARGV[4 * i - 2] + 0, 0
local into_i = now % window_i
local index_i = (now - into_i) / window_i % 1000000000
local value_i = call('GET', KEYS[i])
if value_i then
  if not string.find(value_i, '^[1-9]%d*$') then break end
  local count = value_i - index_i
  if count <= 0 or count > 9e15 or count % 1000000000 ~= 0 then break end
  used_i = count / 1000000000
end
if used_i + ARGV[4 * i] > 9e6 then break end
local refused_i = used_i + ARGV[4 * i] > ARGV[4 * i - 1] + 0
