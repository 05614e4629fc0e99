-- Gives a lock back that is still the caller's. ARGV: name, token.
local prefix = string.match(KEYS[1], '^.*:')
local key = prefix .. 'fence:' .. ARGV[1]
if redis.call('HGET', key, 'token') == ARGV[2] then redis.call('HSET', key, 'holder', '') end
return {'OK'}
