-- Returns the entries after a tip. ARGV: synced run id, position, commit, count.
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
local missed = redis.call('XRANGE', prefix .. 'journal', string.format('%.0f-0', tipAt + 1), '+', 'COUNT', ARGV[4])
return answer('OK', head[1], missed)
