--------------------------------------------------------------------- reset
-- Forgets all use of each charge's limit.

local list, reply = {}, { now, 0 }

for i = 1, charges do list[i] = charge(i) end

for _, c in ipairs(list) do
  c.algorithm.load(c, nil)
  c.rate = c.quota
  c.changed = 0
  if c.state then write(c) end
  report(reply, c, 0, 0, 0, 0)
end
return reply
