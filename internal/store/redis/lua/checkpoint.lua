-- Puts an uploaded checkpoint in its place, unless a newer one is there.
-- KEYS: head, the upload. ARGV: position, rev, the positions to drop.
local prefix = string.match(KEYS[1], '^.*:')
local index = redis.call('HGETALL', prefix .. 'checkpoints')
for i = 1, #index, 2 do
  if tonumber(index[i]) > tonumber(ARGV[1]) or tonumber(index[i + 1]) > tonumber(ARGV[2]) then
    return {'CONFLICT', index[i]}
  end
end
if redis.call('EXISTS', KEYS[2]) == 0 then return {'LOST'} end
-- It is listed when it is there for good, also where a command is denied.
redis.call('RENAME', KEYS[2], prefix .. 'checkpoint:' .. ARGV[1])
redis.call('PERSIST', prefix .. 'checkpoint:' .. ARGV[1])
redis.call('HSET', prefix .. 'checkpoints', ARGV[1], ARGV[2])
for i = 3, #ARGV do
  redis.call('HDEL', prefix .. 'checkpoints', ARGV[i])
  redis.call('DEL', prefix .. 'checkpoint:' .. ARGV[i])
end
return {'OK'}
