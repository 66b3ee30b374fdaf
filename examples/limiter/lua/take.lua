---------------------------------------------------------------------- take
-- KEYS: with a request id, its marker after those of the charges.
-- ARGV: after the time, 'peek' or nothing; 'take' and the lifetime of the marker
-- in ms.
--
-- All charges are checked before anything is written, so that a refusal or an
-- error changes nothing.

local peek = ARGV[after + 2] == 'peek'
local marker = ARGV[after + 3] and KEYS[#KEYS]
local answered = marker and call('GET', marker)
if answered then
  local reply = {}
  for n in string.gmatch(answered, '%S+') do reply[#reply + 1] = tonumber(n) end
  return reply
end

local list, refused, most = {}, 0, math.huge

for i = 1, charges do
  local c = charge(i)
  local mode = c.mode
  local shadow = false
  if mode ~= '' then
    shadow = find(mode, 's')
    c.atmost, c.counts = find(mode, 'a'), find(mode, 'r')
  end
  c.free = c.quota > 0 and max(0, c.capacity - c.algorithm.used(c)) or 0
  c.wanted = c.atmost and min(c.cost, 1) or c.cost
  c.verdict = 0
  if c.free < c.wanted then
    c.verdict = (c.quota == 0 or c.wanted > c.capacity) and 2 or 1
    if not shadow then refused = 1 end
  end
  if c.atmost and c.wanted > 0 and not shadow then most = min(most, c.free) end
  list[i] = c
end

local reply = { now, refused }

for i, c in ipairs(list) do
  local algorithm, verdict, granted, wait, delay = c.algorithm, c.verdict, 0, 0, 0
  if c.kind == 'q' then delay = algorithm.reset(c) end
  if refused == 0 and verdict == 0 then
    granted = c.atmost and min(c.cost, c.free, most) or c.cost
    if granted > 0 and not peek then
      algorithm.take(c, granted)
      write(c)
    end
  end
  -- Up to a bound far above any quota, beyond which more would tell nothing.
  local denied = granted == 0 and c.counts and not peek and min(c.wanted, 2000000000 - c.count) or 0
  if denied > 0 then
    algorithm.take(c, denied)
    write(c)
  end
  if verdict == 1 then
    wait = algorithm.wait(c, c.wanted)
  elseif verdict == 0 and c.cost > 0 and c.quota > 0 and algorithm.used(c) >= c.capacity then
    wait = algorithm.wait(c, 1)
  end
  -- A refusal writes nothing, but a key that would never expire is mended.
  if verdict > 0 and not peek and denied <= 0 and c.state and (c.undated or call('PTTL', c.key) < 0) then
    write(c)
  end
  report(reply, c, granted, wait, delay, verdict)
end

if marker and refused == 0 and not peek then
  local words = {}
  for i, n in ipairs(reply) do words[i] = format('%.0f', n) end
  call('SET', marker, table.concat(words, ' '), 'PX', ARGV[after + 3])
end
return reply
