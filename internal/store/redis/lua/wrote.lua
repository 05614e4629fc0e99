-- Reports whether a commit wrote the entry at a position, nil if the entry was trimmed.
local function wrote(prefix, position, commit)
  local id = position .. '-0'
  for _, entry in ipairs(redis.call('XRANGE', prefix .. 'journal', id, id)) do
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 'c' then return entry[2][i + 1] == commit end
    end
  end
  return nil
end
