-- Finds the first entry with an event after a seq. ARGV: seq.
local headKey = KEYS[1]
local prefix = string.match(headKey, '^.*:')
local journal = prefix .. 'journal'
local head = redis.call('HMGET', headKey, 'position', 'seq', 'trimmed')
if not head[1] then return {'GONE'} end
local seq = tonumber(ARGV[1])
if seq < tonumber(head[3]) then return {'TRIMMED', head[3]} end
if tonumber(head[2]) <= seq then return {'OK', head[1]} end
local function id(position) return string.format('%.0f-0', position) end
local function field(entry, name)
  local fields = entry[2]
  for i = 1, #fields, 2 do
    if fields[i] == name then return tonumber(fields[i + 1]) end
  end
end
local function place(entry) return tonumber(string.match(entry[1], '^%d+')) end
local low, high = 1, tonumber(head[1])
while low < high do
  local middle = low + math.floor((high - low) / 2)
  local entry = redis.call('XRANGE', journal, id(middle), '+', 'COUNT', '1')[1]
  if field(entry, 's') > seq then
    high = middle
  else
    low = place(entry) + 1
  end
end
while low <= tonumber(head[1]) do
  local entry = redis.call('XRANGE', journal, id(low), '+', 'COUNT', '1')[1]
  if field(entry, 'n') > 0 then return {'OK', string.format('%.0f', place(entry) - 1)} end
  low = place(entry) + 1
end
return {'OK', head[1]}
