local floor, ceil, byte, char = math.floor, math.ceil, string.byte, string.char

-- a * b / c, rounded down. It is exact where the result is below 2^53: a and b are
-- below 2^53, c below 2^45. A product that is too large for a double is divided
-- digit by digit, as on paper, in base 128.
local function muldiv(a, b, c)
  if a * b <= 9007199254740992 then return floor(a * b / c) end
  local whole = floor(b / c)
  local more = b - whole * c
  local result, rest, unit, left = 0, 0, 1, a
  while unit * 128 <= left do unit = unit * 128 end
  while unit >= 1 do
    local digit = floor(left / unit)
    left = left - digit * unit
    rest = rest * 128 + digit * more
    local n = floor(rest / c)
    result, rest, unit = result * 128 + n, rest - n * c, unit / 128
  end
  return result + whole * a
end
