-- KEYS[1]: the bucket. ARGV: capacity, refill rate (tokens a second), cost.
local capacity, rate, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME') -- the clock of Redis, one for all servers
local now = time[1] + time[2] / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'last')
local tokens = tonumber(bucket[1]) or capacity -- a new bucket is full
local last = tonumber(bucket[2]) or now
now = math.max(now, last) -- a clock can be set back
tokens = math.min(capacity, tokens + (now - last) * rate)
local allowed = tokens >= cost
if allowed then tokens = tokens - cost end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'last', now)
redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - tokens) / rate * 1000)) -- full again
if allowed then return 0 end
return math.ceil((cost - tokens) / rate) -- seconds to wait
