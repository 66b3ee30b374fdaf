-- KEYS: one key. ARGV: the expiry to give it in ms, or '' to look only.
-- Answers 0 for a key that expires or is gone, 1 for one that never would, 2 for
-- one that never would and is no counter, which is left alone.
if redis.call('PTTL', KEYS[1]) ~= -1 then return 0 end
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 2 end
if ARGV[1] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 1
