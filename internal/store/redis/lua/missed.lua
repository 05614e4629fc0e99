-- Returns the entries after a tip. ARGV: synced run id, position, commit, count, bytes
-- after which no more are added.
local headKey = KEYS[1]
local prefix = string.match(headKey, '^.*:')
local time = redis.call('TIME')
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local function answer(status, ...) return {status, time[1], time[2], run, ...} end
local head = redis.call('HMGET', headKey, 'position', 'commit', 'run', 'local')
if not head[1] then return answer('GONE') end
local headAt, tipAt = tonumber(head[1]), tonumber(ARGV[2])
if headAt < tipAt or headAt == tipAt and head[2] ~= ARGV[3] then return answer('DIVERGED', head[1]) end
if headAt == tipAt then
  if head[3] ~= run and (ARGV[1] ~= run or not head[4] or redis.call('GET', prefix .. 'local') ~= head[4]) then
    return answer('RESTARTED')
  end
  return answer('OK', head[1], {})
end
-- Some at a time, until it is much: the reply has to arrive before the host gives up.
local missed, bytes, from = {}, 0, tipAt + 1
while #missed < tonumber(ARGV[4]) and bytes < tonumber(ARGV[5]) do
  local some = redis.call('XRANGE', prefix .. 'journal', string.format('%.0f-0', from), '+', 'COUNT', '16')
  for _, entry in ipairs(some) do
    missed[#missed + 1] = entry
    for _, field in ipairs(entry[2]) do bytes = bytes + #field end
  end
  if #some < 16 then break end
  from = tonumber(string.match(some[16][1], '^%d+')) + 1
end
return answer('OK', head[1], missed)
