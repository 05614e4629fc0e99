-- Reads some records of a table in key order, as of one moment, and says whether
-- there may be more. ARGV: table, '' or 'REV', first bound, last bound, limit, bytes
-- after which no more are added, '1' for empty values.
local prefix = string.match(KEYS[1], '^.*:')
local command = {'ZRANGE', prefix .. 'order:' .. ARGV[1], ARGV[3], ARGV[4], 'BYLEX'}
if ARGV[2] ~= '' then command[#command + 1] = 'REV' end
for _, part in ipairs({'LIMIT', '0', ARGV[5]}) do command[#command + 1] = part end
local found = redis.call(unpack(command))
local full = #found == tonumber(ARGV[5])
local keys, values, bytes = {}, {}, 0
if ARGV[7] == '1' then
  for i = 1, #found do values[i] = '' end
  return {found, values, full and '1' or '0'}
end
while #keys < #found and bytes < tonumber(ARGV[6]) do
  local from, to = #keys + 1, math.min(#keys + 16, #found)
  local some = redis.call('HMGET', prefix .. 'table:' .. ARGV[1], unpack(found, from, to))
  for i = from, to do
    keys[i], values[i] = found[i], some[i - from + 1]
    bytes = bytes + #keys[i] + #(values[i] or '')
  end
end
local more = (full or #keys < #found) and '1' or '0'
return {keys, values, more}
