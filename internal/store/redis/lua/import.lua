-- Begins, finishes or gives up an import: a world without a head, whose own has another
-- name until it is whole. KEYS[1] is the import's head. ARGV: what, the import's id, then
-- of begin: format, root key, milliseconds after which one that nothing is added to was
-- interrupted, tables.
local what, id = ARGV[1], ARGV[2]
local import, prefix = KEYS[1], string.match(KEYS[1], '^.*:')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local present = redis.call('HMGET', import, 'id', 'at', 'run', 'tables')

local function discard()
  for name in string.gmatch(present[4], '%S+') do
    for _, kind in ipairs({'table:', 'order:', 'deadlines:', 'terms:'}) do
      redis.call('UNLINK', prefix .. kind .. name)
    end
  end
  redis.call('UNLINK', prefix .. 'journal', prefix .. 'asked', prefix .. 'local', import)
end

if what == 'begin' then
  local head = redis.call('HGET', prefix .. 'head', 'position')
  if head then return {'NOTEMPTY', head} end
  if present[1] then
    local left = tonumber(present[2]) + tonumber(ARGV[5]) - now
    if left > 0 then return {'BUSY', string.format('%.0f', math.ceil(left / 1000))} end
    discard()
  elseif redis.call('EXISTS', prefix .. 'journal', import) > 0 then
    return {'REMAINS'}
  end
  redis.call('HSET', import, 'id', id, 'at', string.format('%.0f', now), 'tables', table.concat(ARGV, ' ', 6),
    'position', '0', 'commit', id, 'seq', '0', 'rev', '0', 'trimmed', '0', 'run', run,
    'format', ARGV[3], 'root_key', ARGV[4])
  return {'OK'}
end

if present[1] ~= id then return {'GONE'} end
if what == 'abort' then
  discard()
  return {'OK'}
end
if present[3] ~= run then return {'RESTARTED'} end
if redis.call('EXISTS', prefix .. 'head') == 1 then return {'NOTEMPTY', redis.call('HGET', prefix .. 'head', 'position')} end
redis.call('HDEL', import, 'id', 'at', 'tables')
redis.call('RENAME', import, prefix .. 'head')
return {'OK'}
