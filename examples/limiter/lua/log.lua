----------------------------------------------------------------- sliding log
-- One entry for each unit, oldest first, of four bytes: ticks since a base time
-- that the first seven bytes hold. A tick is a microsecond up to windows of 35
-- minutes and coarser above; times are rounded up to a tick, so that an entry
-- never leaves early.

local log = {}
algorithms.l = log

local function entry(c, i) return c.base + number(c.list, 4 * i - 3, 4 * i) end
local function leaves(c, i) return entry(c, i) * c.tick + c.window end

-- How many entries have left by now: the list is sorted, so halve it.
local function gone(c)
  local low, high = 0, c.count
  while low < high do
    local middle = ceil((low + high) / 2)
    if leaves(c, middle) <= c.now then low = middle else high = middle - 1 end
  end
  return low
end

function log.tailed(_, state) return #state >= 21 and (#state - 7) % 4 == 2 end

-- Offsets have 32 bits and a window has 31: long before they run out, the
-- entries are written again from the oldest one. None is later than last.
local function rebase(c, last)
  local base, kept = c.count > 0 and min(entry(c, 1), last) or c.at, {}
  for i = 1, c.count do kept[i] = bytes(min(entry(c, i), last) - base, 4) end
  c.base, c.list = base, table.concat(kept)
end

function log.load(c, state)
  c.tick = ceil(c.window / 2147483648)
  c.at = ceil(c.now / c.tick)
  c.base, c.list, c.count = c.at, '', 0
  if not state then return end
  if #state < 7 or (#state - 7) % 4 ~= 0 then error('the key holds no log') end
  c.base, c.list = number(state, 1, 7), sub(state, 8)
  c.count = #c.list / 4
  local old = gone(c)
  c.list, c.count = sub(c.list, 4 * old + 1), c.count - old
  if c.count == 0 then
    c.base = c.at
    return
  end
  local last = entry(c, c.count)
  if last * c.tick > c.now + c.window then -- the clock went back: they count from now
    c.ahead = last * c.tick
    rebase(c, c.at)
  else
    c.at = max(c.at, last)
  end
end

-- A log keeps its entries whatever the plan.
function log.plan() end
function log.empty(c) return c.count <= 0 end
function log.memory(c) return 2 * c.window end
function log.used(c) return c.count end

function log.wait(c, n)
  local must = c.count + n - c.capacity
  return must > 0 and leaves(c, must) - c.now or 0
end

function log.reset(c) return c.count > 0 and leaves(c, c.count) - c.now or 0 end

function log.take(c, n)
  if c.at - c.base >= 4294967296 then rebase(c, math.huge) end
  c.list = c.list .. string.rep(bytes(c.at - c.base, 4), n)
  c.count = c.count + n
end

function log.give(c, n, at)
  local tick, kept, given = ceil(at / c.tick), {}, 0
  for i = 1, c.count do
    if given < n and entry(c, i) == tick then
      given = given + 1
    else
      kept[#kept + 1] = sub(c.list, 4 * i - 3, 4 * i)
    end
  end
  c.list, c.count = table.concat(kept), #kept
  return given
end

function log.save(c)
  return bytes(c.base, 7) .. c.list, log.reset(c)
end
