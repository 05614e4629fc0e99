-- Copies a world as of one moment: every key of KEYS[1]'s world but for its hosts and
-- locks, under another prefix, to be gone after a time. ARGV: the other prefix, seconds,
-- tables. Returns the names of the copies.
local prefix = string.match(KEYS[1], '^.*:')
local to, seconds = ARGV[1], ARGV[2]
local copies = {}
local function copy(name)
  if redis.call('COPY', prefix .. name, to .. name, 'REPLACE') == 1 then
    redis.call('EXPIRE', to .. name, seconds)
    copies[#copies + 1] = to .. name
  end
end
for _, name in ipairs({'head', 'journal', 'checkpoints'}) do copy(name) end
for _, position in ipairs(redis.call('HKEYS', prefix .. 'checkpoints')) do copy('checkpoint:' .. position) end
for i = 3, #ARGV do
  copy('table:' .. ARGV[i])
  copy('order:' .. ARGV[i])
end
return copies
