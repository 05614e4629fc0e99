-- Gives every deadline its full term. ARGV: tables. See prolong.lua for prolong.
local prefix = string.match(KEYS[1], '^.*:')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, name in ipairs(ARGV) do prolong(prefix, name, now) end
return {'OK'}
