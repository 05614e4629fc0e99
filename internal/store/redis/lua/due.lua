-- Lists the keys of a table whose deadlines have passed. Where nobody asked for
-- longer than the grace, or the clock went back by more, as after a failover to another
-- server, every deadline gets its full term first.
-- ARGV: table, limit, grace in milliseconds, synced run id. See local.lua for
-- count_on, prolong.lua for prolong.
local prefix = string.match(KEYS[1], '^.*:')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local asked = redis.call('HGET', prefix .. 'asked', ARGV[1])
redis.call('HSET', prefix .. 'asked', ARGV[1], string.format('%.0f', now))
-- What a replica has is then older than the master's within a second of every sweep,
-- also where nobody commits.
local count = redis.call('HGET', KEYS[1], 'local')
if count and ARGV[4] ~= '' and redis.call('GET', prefix .. 'local') == count
  and ARGV[4] == string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then
  count_on(KEYS[1], prefix, count)
end
if not asked or math.abs(now - tonumber(asked)) > tonumber(ARGV[3]) then prolong(prefix, ARGV[1], now) end
return redis.call('ZRANGEBYSCORE', prefix .. 'deadlines:' .. ARGV[1], '-inf', string.format('%.0f', now), 'LIMIT', '0', ARGV[2])
