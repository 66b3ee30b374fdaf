-- Moves the expiry of every key nearer, as if time had passed.
--
-- ARGV: how many ms pass on the model clock; the server's time (ms) at the last
-- step, 0 at the first; then, for each key that had an expiry after that step,
-- its name, when Redis would delete it (ms) and how many ms it had left on the
-- model clock. Gives the server's time, and the same three for each key that has
-- an expiry now.

local passed, since = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if since == 0 then since = now end
if now - since >= 60000 then return redis.error_reply('SLOW a minute') end

local known = {}
for i = 3, #ARGV, 3 do
  local ends = tonumber(ARGV[i + 1])
  if ends <= now then return redis.error_reply('SLOW ' .. ARGV[i] .. ' has ended') end
  known[ARGV[i]] = { ends = ends, left = tonumber(ARGV[i + 2]) }
end

-- What an expiry was set to that was set since the last step: at least what is
-- left of it, at most as much more as time went by. The roundest number of
-- seconds in between is taken; within a second there is only one.
local function told(ends)
  for _, unit in ipairs({ 60000, 30000, 10000, 5000, 1000 }) do
    local round = math.ceil((ends - now) / unit) * unit
    if round <= ends - since then return round end
  end
  return math.ceil((ends - now) / 1000) * 1000
end

local reply = { now }
for _, key in ipairs(redis.call('KEYS', '*')) do
  local ends = redis.call('PEXPIRETIME', key)
  if ends >= 0 then
    local left = told(ends)
    if known[key] and known[key].ends == ends then left = known[key].left end
    left = left - passed
    if left <= 0 then
      redis.call('DEL', key)
    else
      redis.call('PEXPIREAT', key, now + left)
      table.insert(reply, key)
      table.insert(reply, now + left)
      table.insert(reply, left)
    end
  end
end
return reply
