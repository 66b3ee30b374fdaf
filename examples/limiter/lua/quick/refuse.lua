-- A refusal writes nothing; a key that would never expire the long way mends.
if refused_i and value_i and call('PTTL', KEYS[i]) < 0 then break end
