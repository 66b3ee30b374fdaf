---------------------------------------------------------------------- take
-- KEYS: with a request id, its markers after those of the charges: one for each
-- subject.
-- ARGV: after the time, 'peek' or nothing; with a request id 'take' and then, apart
-- by spaces, the lifetime of the markers in ms, the decision's nonce and a digest of
-- the charges.
--
-- All charges are checked before anything is written, so that a refusal or an
-- error changes nothing.

local peek = ARGV[after + 2] == 'peek'
local life, nonce, digest

-- A marker holds the digest of the charges and the reply, the nonce last.
if ARGV[after + 3] then
  life, nonce, digest = string.match(ARGV[after + 3], '^(%d+) (%d+) (%x+)$')
  local answered
  for i = charges + 1, #KEYS do
    local stored = call('GET', KEYS[i])
    if stored and sub(stored, 1, #digest) ~= digest then return redis.error_reply('CONFLICT other charges have this request id') end
    answered = answered or stored
  end
  if answered then
    local reply = {}
    for n in string.gmatch(sub(answered, #digest + 1), '%S+') do reply[#reply + 1] = tonumber(n) end
    return reply
  end
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

-- What is taken in the microsecond of a change comes after it.
local reply = { changes and now + 1 or now, refused }

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
  local denied = granted == 0 and c.counts and not peek and min(c.wanted, algorithm.most - c.count) or 0
  if denied > 0 then
    algorithm.take(c, denied)
    write(c)
  end
  if verdict == 1 then
    wait = algorithm.wait(c, c.wanted)
  elseif verdict == 0 and c.cost > 0 and c.quota > 0 and algorithm.used(c) >= c.capacity then
    wait = algorithm.wait(c, 1)
  end
  -- A refusal writes nothing, but a key that would never expire is mended, and a
  -- change of plan or of the clock is noted once.
  if granted == 0 and not peek and denied <= 0 and c.state and
    (c.dirty or verdict > 0 and (c.undated or call('PTTL', c.key) < 0)) then
    write(c)
  end
  report(reply, c, granted, wait, delay, verdict)
end

if nonce then
  reply[#reply + 1] = tonumber(nonce)
  if refused == 0 then
    local words = { digest }
    for i, n in ipairs(reply) do words[i + 1] = format('%.0f', n) end
    for i = charges + 1, #KEYS do call('SET', KEYS[i], table.concat(words, ' '), 'PX', format('%d', max(life, least))) end
  end
end
return reply
