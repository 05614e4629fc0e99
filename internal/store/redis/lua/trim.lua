-- Removes entries and says which events are gone, and returns how many entries it removed.
-- It returns -1 if the journal lost the head from which they were listed: other entries
-- may have their positions by now. ARGV: the
-- position and the commit of that head, the greatest seq that goes, then ids. See
-- wrote.lua for wrote.
local prefix = string.match(KEYS[1], '^.*:')
if not wrote(prefix, ARGV[1], ARGV[2]) then return -1 end
local before = tonumber(redis.call('HGET', KEYS[1], 'trimmed'))
local gone = tonumber(ARGV[3])
if gone > before then redis.call('HSET', KEYS[1], 'trimmed', string.format('%.0f', gone)) end
return redis.call('XDEL', prefix .. 'journal', unpack(ARGV, 4))
