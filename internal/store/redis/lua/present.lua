-- Notes that a host serves, and lists the hosts that do. KEYS: the head, the hosts.
-- ARGV: id, name, for how many milliseconds; 0 for one that serves no longer.
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local hosts = KEYS[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = now + tonumber(ARGV[3])
redis.call('HSET', hosts, ARGV[1], string.format('%.0f ', ends) .. ARGV[2])
local serving = {}
local all = redis.call('HGETALL', hosts)
for i = 1, #all, 2 do
  local last, name = string.match(all[i + 1], '^(%d+) (.*)$')
  if not last or tonumber(last) <= now then
    redis.call('HDEL', hosts, all[i])
  else
    serving[#serving + 1] = all[i]
    serving[#serving + 1] = name
  end
end
return serving
