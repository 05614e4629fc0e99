-- Removes entries and says which events are gone. ARGV: the greatest seq that
-- goes, then ids.
local prefix = string.match(KEYS[1], '^.*:')
local before = tonumber(redis.call('HGET', KEYS[1], 'trimmed'))
local gone = tonumber(ARGV[1])
if gone > before then redis.call('HSET', KEYS[1], 'trimmed', string.format('%.0f', gone)) end
return redis.call('XDEL', prefix .. 'journal', unpack(ARGV, 2))
