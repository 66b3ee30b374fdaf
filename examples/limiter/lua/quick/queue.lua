-- In a leaky bucket what is in use goes first, reckoned from the stored moment:
-- from now it could be a microsecond too long.
local delay_i = left_i > 0 and since_i + draining(held_i, quota_i, window_i) - now or 0
