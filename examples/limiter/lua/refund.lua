-------------------------------------------------------------------- refund
-- KEYS: one for each charge, then the marker of this refund.
-- ARGV: time or '', when the units were taken, lifetime of the marker in ms;
-- then seven words for each charge, as in take: cost is what may come back.
--
-- The marker makes a second refund of the same take give nothing.

local marker = KEYS[#KEYS]
local again = redis.call('EXISTS', marker) == 1
local list, reply = {}, { now, 0 }

for i = 1, (#ARGV - 3) / 7 do list[i] = charge(i) end
if not again then redis.call('SET', marker, '1', 'PX', ARGV[3]) end

for _, c in ipairs(list) do
  local given = 0
  if c.state and not again then given = c.algorithm.give(c, c.cost, tonumber(ARGV[2])) end
  if given > 0 then write(c) end
  report(reply, c, given, 0, 0, 0)
end
return reply
