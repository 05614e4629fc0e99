-- Lists the keys of a table whose deadlines have passed. Where nobody asked for
-- longer than the grace, every deadline gets its full term first.
-- ARGV: table, limit, grace in milliseconds.
local prefix = string.match(KEYS[1], '^.*:')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local deadlines, terms = prefix .. 'deadlines:' .. ARGV[1], prefix .. 'terms:' .. ARGV[1]
local asked = redis.call('HGET', prefix .. 'asked', ARGV[1])
redis.call('HSET', prefix .. 'asked', ARGV[1], string.format('%.0f', now))
if not asked or now - tonumber(asked) > tonumber(ARGV[3]) then
  local all = redis.call('HGETALL', terms)
  for i = 1, #all, 2 do
    local full = now + tonumber(all[i + 1])
    local due = redis.call('ZSCORE', deadlines, all[i])
    if due and tonumber(due) < full then
      redis.call('ZADD', deadlines, string.format('%.0f', full), all[i])
    end
  end
end
return redis.call('ZRANGEBYSCORE', deadlines, '-inf', string.format('%.0f', now), 'LIMIT', '0', ARGV[2])
