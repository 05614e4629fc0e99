-- Takes or prolongs a lock. ARGV: name, holder, term in milliseconds. A token is
-- at least the time in microseconds, so that it grows also over a lost tail.
local prefix = string.match(KEYS[1], '^.*:')
local key = prefix .. 'fence:' .. ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', key, 'token', 'holder', 'until')
local token = held[1]
if token and held[2] ~= ARGV[2] and held[2] ~= '' and tonumber(held[3]) > now then return {'HELD'} end
if not token or held[2] ~= ARGV[2] then
  local fresh = time[1] * 1000000 + time[2]
  if token and tonumber(token) >= fresh then fresh = tonumber(token) + 1 end
  token = string.format('%.0f', fresh)
end
redis.call('HSET', key, 'token', token, 'holder', ARGV[2], 'until', string.format('%.0f', now + tonumber(ARGV[3])))
return {'OK', token}
