-- Fixed window: a key of its own holds one integer, the count and then nine
-- digits of the window's number, because Redis stores an integer in the least
-- memory. Counts that Lua could not hold exactly go the long way.
function quick.f(state, _, window, capacity, cost)
  local into = now % window
  local index, count = (now - into) / window % 1000000000, cost
  if state then
    local n = tonumber(state)
    if not n or n < 1000000000 or n > 9007199254740991 or n % 1000000000 ~= index then return end
    count = (n - index) / 1000000000 + cost
  end
  if count >= capacity then return end
  return format('%d%09d', count, index), count, window - into, 0, window
end
