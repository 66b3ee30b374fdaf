-- A key that outlives its window is only counted up, which is the cheapest write.
-- One that would not, because it is new or something took its expiry, is written
-- whole: so every write heals.
if value_i and call('PTTL', KEYS[i]) - least >= (window_i - into_i) / 1000 then
  call('INCRBY', KEYS[i], ARGV[4 * i] .. '000000000')
else
  call('PSETEX', KEYS[i], string.format('%d', window_i / 1000 + 2 * least), string.format('%d%09d', used_i + ARGV[4 * i], index_i))
end
