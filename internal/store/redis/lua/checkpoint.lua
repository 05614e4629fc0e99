-- Puts an uploaded checkpoint in its place, unless a newer one is there, or another
-- commit wrote its entry. KEYS: head, the upload. ARGV: position, rev, the commit of the
-- entry or '' for an import, then the positions to drop. See wrote.lua for wrote.
local prefix = string.match(KEYS[1], '^.*:')
local index = redis.call('HGETALL', prefix .. 'checkpoints')
for i = 1, #index, 2 do
  if tonumber(index[i]) > tonumber(ARGV[1]) or tonumber(index[i + 1]) > tonumber(ARGV[2]) then
    return {'CONFLICT', index[i]}
  end
end
if ARGV[3] ~= '' then
  local head = redis.call('HGET', KEYS[1], 'position')
  if not head or tonumber(head) < tonumber(ARGV[1]) then return {'DIVERGED'} end
  -- An entry that was trimmed cannot be compared.
  if wrote(prefix, ARGV[1], ARGV[3]) == false then return {'DIVERGED'} end
end
if redis.call('EXISTS', KEYS[2]) == 0 then return {'LOST'} end
-- It is listed when it is there for good, also where a command is denied.
redis.call('RENAME', KEYS[2], prefix .. 'checkpoint:' .. ARGV[1])
redis.call('PERSIST', prefix .. 'checkpoint:' .. ARGV[1])
redis.call('HSET', prefix .. 'checkpoints', ARGV[1], ARGV[2])
for i = 4, #ARGV do
  redis.call('HDEL', prefix .. 'checkpoints', ARGV[i])
  redis.call('DEL', prefix .. 'checkpoint:' .. ARGV[i])
end
return {'OK'}
