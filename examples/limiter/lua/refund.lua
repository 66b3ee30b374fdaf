-------------------------------------------------------------------- refund
-- KEYS: one for each charge, then the marker of this refund.
-- ARGV: after the time, when the units were taken and the lifetime of the marker
-- in ms. The cost of a charge is what may come back.
--
-- The marker makes a second refund of the same take give nothing.

local marker = KEYS[#KEYS]
local again = call('EXISTS', marker) == 1
local list, reply = {}, { now, 0 }

for i = 1, charges do list[i] = charge(i) end
if not again then call('SET', marker, '1', 'PX', ARGV[after + 3]) end

for _, c in ipairs(list) do
  local given = 0
  if c.state and not again then given = c.algorithm.give(c, c.cost, tonumber(ARGV[after + 2])) end
  if given > 0 then write(c) end
  report(reply, c, given, 0, 0, 0)
end
return reply
