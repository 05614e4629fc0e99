-- Gives every deadline of a table its full term. A later one was set by a clock that
-- was ahead.
local function prolong(prefix, name, now)
  local deadlines = prefix .. 'deadlines:' .. name
  local all = redis.call('HGETALL', prefix .. 'terms:' .. name)
  for i = 1, #all, 2 do
    local full = now + tonumber(all[i + 1])
    local due = redis.call('ZSCORE', deadlines, all[i])
    if due and tonumber(due) ~= full then
      redis.call('ZADD', deadlines, string.format('%.0f', full), all[i])
    end
  end
end
