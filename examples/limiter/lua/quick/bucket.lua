-- Token and leaky buckets: one state serves both, what is in use and when that was
-- true. It drains at quota per window, so a new quota or burst is right from the
-- next call on.
local window_i, capacity_i = ARGV[4 * i - 2] + 0, ARGV[4 * i - 1] + 0
local quota_i = tonumber(string.sub(ARGV[4 * i - 3], 2)) or capacity_i
-- [bucket]
local held_i, since_i, left_i, plan_i = 0, now, 0, seven(quota_i)
local changed_i = seven(now - 1)
local value_i = call('GET', KEYS[i])
if value_i then
  if #value_i ~= 28 or string.sub(value_i, 15, 21) ~= plan_i then break end
  held_i, since_i = bucket_fields(value_i)
  if since_i > now then break end -- the clock went back
  left_i = math.max(0, held_i - drained(now - since_i, quota_i, window_i))
  local stored = string.sub(value_i, 22)
  if left_i > 0 or number_of(stored) >= now then changed_i = stored end
end
local level_i = left_i + ARGV[4 * i] * 1000000
if level_i > (capacity_i - 1) * 1000000 then break end
local used_i, state_i, life_i = ceil(left_i / 1000000), bucket_state(level_i, now) .. plan_i .. changed_i, draining(level_i, quota_i, window_i)
-- [/bucket]
