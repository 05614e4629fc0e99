-- Returns where entries stand, newest first, without their content: id, seq, rev,
-- events, map of each. ARGV: the last id, count.
local prefix = string.match(KEYS[1], '^.*:')
local places = {}
for _, entry in ipairs(redis.call('XREVRANGE', prefix .. 'journal', ARGV[1], '-', 'COUNT', ARGV[2])) do
  local found = {}
  for i = 1, #entry[2], 2 do found[entry[2][i]] = entry[2][i + 1] end
  places[#places + 1] = entry[1]
  for _, name in ipairs({'s', 'v', 'n', 'm'}) do places[#places + 1] = found[name] end
end
return places
