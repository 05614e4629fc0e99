-- Founds a store where there is none, and says what it is. KEYS: the head, then every
-- other key that a world may have, first those that a commit counts. ARGV: format, root
-- key, with an empty one nothing is founded; '1' for who writes; how many are counted; the
-- type of each key. See allowed.lua for denied.
local exists = redis.call('EXISTS', KEYS[1]) == 1
-- A world of another format may have other keys.
local format = redis.pcall('HGET', KEYS[1], 'format')
if type(format) == 'string' and format ~= ARGV[1] then return {'OK', format, ''} end
if not exists and redis.call('EXISTS', string.match(KEYS[1], '^.*:') .. 'import') == 1 then return {'IMPORTING'} end
if ARGV[3] == '1' then
  local what = denied(KEYS[1], 1, 0)
  if what then return {'DENIED', what} end
end
-- A command on a key of another type is refused, in a commit when others have been
-- carried out already.
local look = {
  hash = function(key) return redis.pcall('HEXISTS', key, '') end,
  zset = function(key) return redis.pcall('ZSCORE', key, '') end,
  stream = function(key) return redis.pcall('XRANGE', key, '-', '-', 'COUNT', '1') end,
  string = function(key) return redis.pcall('GET', key) end,
}
for i, key in ipairs(KEYS) do
  local found = look[ARGV[4 + i]](key)
  if type(found) == 'table' and found.err then
    return {string.match(found.err, 'WRONGTYPE') and 'FOREIGN' or 'FAILED', key, ARGV[4 + i], found.err}
  end
end
local counted = tonumber(ARGV[4]) + 1
local known, keys = tonumber(redis.call('HGET', KEYS[1], 'keys') or '0'), redis.call('EXISTS', unpack(KEYS, 2, counted))
if ARGV[3] == '1' and keys < known then return {'MISSING', tostring(known - keys)} end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if not exists and ARGV[2] ~= '' then
  if keys > 0 or redis.call('EXISTS', string.match(KEYS[1], '^.*:') .. 'journal') == 1 then return {'REMAINS'} end
  redis.call('HSET', KEYS[1], 'position', '0', 'commit', string.rep('\0', 16), 'seq', '0', 'rev', '0',
    'trimmed', '0', 'run', run, 'format', ARGV[1], 'root_key', ARGV[2])
end
local head = redis.call('HMGET', KEYS[1], 'format', 'root_key')
return {'OK', head[1], head[2]}
