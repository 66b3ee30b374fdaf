-------------------------------------------------------------------- refund
-- KEYS: one for each charge, then as many marks of this refund, then the markers of
-- the request id of the decision, if it had one.
-- ARGV: after the time, when the units were taken; and, apart by spaces, the
-- lifetime of the marks in ms and the decision's nonce. The cost of a charge is what
-- may come back.
--
-- A mark makes a second refund of the same charge give nothing. It lives as long as
-- what it gives back could count. A request that was refunded is forgotten, so that
-- it is charged anew when it comes again.

local at = tonumber(ARGV[after + 2])
local life, nonce = string.match(ARGV[after + 3], '^(%d+) (%d+)$')
local list, again, first, reply = {}, {}, false, { now, 0 }

for i = 1, charges do
  list[i], again[i] = charge(i), call('EXISTS', KEYS[charges + i]) == 1
  first = first or not again[i]
end

for i, c in ipairs(list) do
  local given = 0
  if not again[i] then
    call('SET', KEYS[charges + i], '1', 'PX', format('%d', max(life, least)))
    if c.state and at > c.changed and at <= now + c.window then given = c.algorithm.give(c, c.cost, at) end
  end
  if given > 0 or c.dirty then write(c) end
  report(reply, c, given, 0, 0, 0)
end

for i = 2 * charges + 1, #KEYS do
  local stored = first and call('GET', KEYS[i])
  if stored and sub(stored, -#nonce - 1) == ' ' .. nonce then call('DEL', KEYS[i]) end
end
return reply
