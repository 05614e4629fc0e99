-- Returns where entries stand, newest first, without their content: id, seq, rev,
-- events, bytes, map of each; none where there are no more. ARGV: the last id, count,
-- bytes after which no more are looked at.
local prefix = string.match(KEYS[1], '^.*:')
local places, bytes, count, from = {}, 0, 0, ARGV[1]
-- Some at a time: the server answers nobody while it copies what they hold.
while count < tonumber(ARGV[2]) and bytes < tonumber(ARGV[3]) do
  local some = redis.call('XREVRANGE', prefix .. 'journal', from, '-', 'COUNT', '16')
  for _, entry in ipairs(some) do
    local found, size = {}, 0
    for i = 1, #entry[2], 2 do
      found[entry[2][i]] = entry[2][i + 1]
      size = size + #entry[2][i + 1]
    end
    places[#places + 1] = entry[1]
    for _, name in ipairs({'s', 'v', 'n'}) do places[#places + 1] = found[name] end
    places[#places + 1] = string.format('%.0f', size)
    places[#places + 1] = found['m']
    bytes = bytes + size
    count = count + 1
  end
  if #some < 16 then break end
  local last = tonumber(string.match(some[16][1], '^%d+'))
  if last < 2 then break end
  from = string.format('%.0f-0', last - 1)
end
return places
