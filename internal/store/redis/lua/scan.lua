-- Reads some records of a table in key order, as of one moment.
-- ARGV: table, '' or 'REV', first bound, last bound, limit.
local prefix = string.match(KEYS[1], '^.*:')
local command = {'ZRANGE', prefix .. 'order:' .. ARGV[1], ARGV[3], ARGV[4], 'BYLEX'}
if ARGV[2] ~= '' then command[#command + 1] = 'REV' end
for _, part in ipairs({'LIMIT', '0', ARGV[5]}) do command[#command + 1] = part end
local keys = redis.call(unpack(command))
if #keys == 0 then return {keys, keys} end
return {keys, redis.call('HMGET', prefix .. 'table:' .. ARGV[1], unpack(keys))}
