-- Counts on a number that is in the head and here. Replicas are not told of it here,
-- so what they have is an older one as soon as they have followed one change.
local function count_on(headKey, prefix, last)
  local number = string.format('%.0f', (tonumber(last) or 0) + 1)
  redis.call('HSET', headKey, 'local', number)
  redis.set_repl(redis.REPL_AOF)
  redis.call('SET', prefix .. 'local', number)
  redis.set_repl(redis.REPL_ALL)
end
