-- Says what the user may not do of what a commit does, nil where nothing: Redis does
-- not take back what a script wrote before it was refused. Before 7.0 a script cannot
-- ask. ARGV from one place to another are channels.
local function denied(key, from, to)
  local allowed = redis.acl_check_cmd
  if not allowed then return nil end
  if not allowed('HSET', key, 'f', 'v') then return 'hset' end
  if not allowed('HDEL', key, 'f') then return 'hdel' end
  if not allowed('HEXISTS', key, 'f') then return 'hexists' end
  if not allowed('GET', key) then return 'get' end
  if not allowed('SET', key, 'v') then return 'set' end
  if not allowed('EXISTS', key) then return 'exists' end
  if not allowed('DEL', key) then return 'del' end
  if not allowed('XADD', key, '1-0', 'f', 'v') then return 'xadd' end
  if not allowed('ZADD', key, '0', 'm') then return 'zadd' end
  if not allowed('ZREM', key, 'm') then return 'zrem' end
  for i = from, to do
    if not allowed('PUBLISH', ARGV[i], '') then return 'publish on ' .. ARGV[i] end
  end
  return nil
end
