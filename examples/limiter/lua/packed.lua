-- A packed key holds a record for each limit: a tag of three bytes that stands
-- for it, a length, its state.
records = {}

-- The state under a tag, or nil.
function records.read(value, tag)
  local i = 1
  while value and i <= #value do
    local size = byte(value, i + 3)
    if sub(value, i, i + 2) == tag then return sub(value, i + 4, i + 3 + size) end
    i = i + 4 + size
  end
end

-- The value with a tag's state replaced, or taken out where it is nil.
function records.replaced(value, tag, state)
  local kept, i = {}, 1
  while value and i <= #value do
    local size = byte(value, i + 3)
    if sub(value, i, i + 2) ~= tag then kept[#kept + 1] = sub(value, i, i + 3 + size) end
    i = i + 4 + size
  end
  if state then kept[#kept + 1] = tag .. bytes(#state, 1) .. state end
  return #kept > 0 and table.concat(kept) or nil
end
