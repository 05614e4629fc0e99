-- Commits a batch: everything is compared before the first write, and nothing
-- after the first write can fail. KEYS[1] is the head, the next ones are those that are
-- counted; see commit.go for ARGV, and allowed.lua for denied, local.lua for count_on.
local headKey = KEYS[1]
local prefix = string.match(headKey, '^.*:')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end
local function count() return tonumber(take()) end
local function answer(status, ...) return {status, time[1], time[2], run, ...} end

local synced, position, commit, resumed = take(), take(), take(), take()
local counted = count() + 1
local head = redis.call('HMGET', headKey, 'position', 'commit', 'seq', 'rev', 'run', 'at', 'local', 'keys')
if not head[1] then return answer('GONE') end
if head[1] ~= position or head[2] ~= commit then
  local headAt, tipAt = tonumber(head[1]), tonumber(position)
  if headAt <= tipAt then return answer('DIVERGED', head[1]) end
  local missed = redis.call('XRANGE', prefix .. 'journal', string.format('%.0f-0', tipAt + 1), '+', 'COUNT', '16')
  return answer('CONFLICT', head[1], missed)
elseif resumed ~= '' then
  -- The host knows of a restart: it has to be the last one.
  if resumed ~= run then return answer('RESTARTED') end
elseif synced ~= '' and synced ~= run then
  -- Another host confirmed the restart of this server first; this one has to ask how it
  -- syncs, or its commit would look like one of a server that does not.
  return answer('RESTARTED')
elseif head[5] ~= run then
  -- A server that syncs every write lost nothing, if it is the one that wrote last.
  if synced ~= run or not head[7] or redis.call('GET', prefix .. 'local') ~= head[7] then return answer('RESTARTED') end
end

local known, keys = tonumber(head[8] or '0'), redis.pcall('EXISTS', unpack(KEYS, 2, counted))
if type(keys) == 'table' then return answer('DENIED', 'exists') end
if keys < known then return answer('MISSING', tostring(known - keys)) end
if position ~= '0' and redis.call('EXISTS', prefix .. 'journal') == 0 then return answer('MISSING', '0') end

local fence, token = take(), take()
if fence ~= '' then
  local held = redis.call('HMGET', prefix .. 'fence:' .. fence, 'token', 'holder')
  if held[1] ~= token or not held[2] or held[2] == '' then return answer('FENCED') end
end
local early = {}
for _ = 1, count() do
  local table, key = take(), take()
  local due = redis.call('ZSCORE', prefix .. 'deadlines:' .. table, key)
  if due and tonumber(due) > now then
    early[#early + 1] = table
    early[#early + 1] = key
  end
end
if #early > 0 then return answer('NOTDUE', early) end
local baseSeq, firstRev, changed = count(), count(), take()
local last, lastCommit, lastSeq, lastRev = take(), take(), take(), take()
local entries, channels = count(), count()
if entries > 0 then
  local seq, rev = tonumber(head[3]), tonumber(head[4])
  if baseSeq < seq or firstRev < rev or changed == '1' and firstRev == rev then
    return answer('REFUSED', head[3], head[4])
  end
  local what = denied(headKey, at + 1, at + channels)
  if what then return answer('DENIED', what) end
end
at = at + channels

-- The first write is one that Redis refuses when it is out of memory, read-only
-- or short of replicas; from here on it refuses nothing.
if entries > 0 then
  redis.call('HSET', headKey, 'position', last, 'commit', lastCommit, 'seq', lastSeq, 'rev', lastRev, 'run', run)
else
  redis.call('HSET', headKey, 'run', run)
end
-- An import is in progress.
if head[6] then redis.call('HSET', headKey, 'at', string.format('%.0f', now)) end
if synced == run then
  count_on(headKey, prefix, head[7])
elseif head[7] then
  redis.call('HDEL', headKey, 'local')
end
-- The fields of each entry: id, content, commit, records, seq, rev, events, map.
local fields, journal = 8, at
at = at + entries * fields

-- each passes n arguments on, some at a time: Lua's stack is small.
local function each(n, visit)
  while n > 0 do
    local step = math.min(n, 1000)
    visit(at + 1, at + step)
    at = at + step
    n = n - step
  end
end
local function members(from, to, stride)
  local pairs = {}
  for i = from, to, stride do
    pairs[#pairs + 1] = '0'
    pairs[#pairs + 1] = ARGV[i]
  end
  return pairs
end

for _ = 1, count() do
  local name = take()
  local values, order = prefix .. 'table:' .. name, prefix .. 'order:' .. name
  local deadlines, terms = prefix .. 'deadlines:' .. name, prefix .. 'terms:' .. name
  if take() == '1' then redis.call('DEL', values, order, deadlines, terms) end
  local timed = redis.call('EXISTS', deadlines) == 1
  each(count(), function(from, to)
    redis.call('HDEL', values, unpack(ARGV, from, to))
    redis.call('ZREM', order, unpack(ARGV, from, to))
    if timed then
      redis.call('ZREM', deadlines, unpack(ARGV, from, to))
      redis.call('HDEL', terms, unpack(ARGV, from, to))
    end
  end)
  each(count(), function(from, to)
    redis.call('HSET', values, unpack(ARGV, from, to))
    redis.call('ZADD', order, unpack(members(from, to, 2)))
    if timed then
      for i = from, to, 2 do
        redis.call('ZREM', deadlines, ARGV[i])
        redis.call('HDEL', terms, ARGV[i])
      end
    end
  end)
  for _ = 1, count() do
    local key, term = take(), take()
    redis.call('ZADD', deadlines, string.format('%.0f', now + tonumber(term)), key)
    redis.call('HSET', terms, key, term)
  end
end
for _ = 1, count() do
  local name, key, term = take(), take(), take()
  if redis.call('HEXISTS', prefix .. 'table:' .. name, key) == 1 then
    redis.call('ZADD', prefix .. 'deadlines:' .. name, string.format('%.0f', now + tonumber(term)), key)
    redis.call('HSET', prefix .. 'terms:' .. name, key, term)
  end
end
keys = redis.call('EXISTS', unpack(KEYS, 2, counted))
if keys ~= known then redis.call('HSET', headKey, 'keys', keys) end
-- Nothing that goes to the server's log comes after the entries: a log that ends within
-- this transaction has none of them. Redis keeps the incomplete transaction, and executes
-- it together with the next one at its second start from the log: an entry of it would be
-- in the place of the one that was committed in between.
local previous = head[2]
for i = journal + 1, journal + entries * fields, fields do
  local id, encoded, own, records, seq, rev, events, map = unpack(ARGV, i, i + fields - 1)
  redis.call('XADD', prefix .. 'journal', id .. '-0', 'e', encoded, 'c', own, 'p', previous, 'r', records,
    's', seq, 'v', rev, 'n', events, 'm', map)
  previous = own
end
for _ = 1, count() do
  local channel, message = take(), take()
  redis.call('PUBLISH', channel, message)
end
return answer('OK')
