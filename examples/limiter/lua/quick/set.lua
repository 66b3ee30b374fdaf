call('PSETEX', KEYS[i], string.format('%d', life_i / 1000 + 2 * least), state_i)
