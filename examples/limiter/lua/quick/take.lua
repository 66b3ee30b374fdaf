-- The quick way: all charges are admitted, and each leaves something for others.
-- Whether that is so it finds out before it writes anything. If not, or where it
-- meets anything unusual, the long way below begins again. Both give one answer.
--
-- The reply is short: the time, and of each charge what is used now, how long
-- until nothing is, and when to start. What was granted is what was asked for.
if charges == 1 then
  local kind = ARGV[1]
  local state, used, reset, delay, life = quick[kind](call('GET', KEYS[1]), ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0, kind)
  if state then
    call('PSETEX', KEYS[1], milliseconds(life or reset), state)
    return { now, used, reset, delay }
  end
else
  local reply, states, lives = { now }, {}, {}
  for i = 1, charges do
    local a, kind = 5 * i, ARGV[5 * i - 4]
    local state, used, reset, delay, life = quick[kind](call('GET', KEYS[i]), ARGV[a - 3] + 0, ARGV[a - 2] + 0, ARGV[a - 1] + 0, ARGV[a] + 0, kind)
    if not state then break end
    states[i], lives[i] = state, life or reset
    a = 3 * i
    reply[a - 1], reply[a], reply[a + 1] = used, reset, delay
  end
  if #states == charges then
    for i = 1, charges do call('PSETEX', KEYS[i], milliseconds(lives[i]), states[i]) end
    return reply
  end
end
