-- KEYS[1]: the bucket. ARGV: capacity, tokens a second, cost.
local capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2])
local cost = tonumber(ARGV[3])
local time = redis.call('TIME') -- one clock for all servers
local now = time[1] + time[2] / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'last')
local tokens = tonumber(bucket[1]) or capacity -- new: full
local last = tonumber(bucket[2]) or now
now = math.max(now, last) -- a clock can be set back
tokens = math.min(capacity, tokens + (now - last) * rate)
local wait = math.max(0, math.ceil((cost - tokens) / rate))
if wait == 0 then tokens = tokens - cost end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'last', now)
local full = math.ceil((capacity - tokens) / rate * 1000)
redis.call('PEXPIRE', KEYS[1], full) -- ms until it is full
return wait -- seconds; 0: allowed
