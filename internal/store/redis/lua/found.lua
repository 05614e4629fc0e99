-- Founds a store where there is none, and says what it is. ARGV: format, root key;
-- with an empty one nothing is founded.
local exists = redis.call('EXISTS', KEYS[1]) == 1
if not exists and redis.call('EXISTS', string.match(KEYS[1], '^.*:') .. 'import') == 1 then return {'IMPORTING'} end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if not exists and ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'position', '0', 'commit', string.rep('\0', 16), 'seq', '0', 'rev', '0',
    'trimmed', '0', 'run', run, 'format', ARGV[1], 'root_key', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'format', 'root_key')
