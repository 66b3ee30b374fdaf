package chart

// Table returns the numbers of the chart to read: a row for each x, as they first
// come, with a column for each series, or where an x comes more than once in a
// series the rows as recorded. A number that was not recorded is "–".
func (c *Chart) Table() (head []string, rows [][]string) {
	if len(c.Head) < 3 {
		return c.Head, c.rows
	}
	head = []string{c.Head[0]}
	column := map[string]int{}
	for _, s := range c.series {
		column[s.name] = len(head)
		head = append(head, s.name)
	}
	row := map[string][]string{}
	for _, cells := range c.rows {
		x, y, name := cells[0], cells[1], cells[2]
		if row[x] == nil {
			row[x] = make([]string, len(head))
			row[x][0] = x
			rows = append(rows, row[x])
		}
		if row[x][column[name]] != "" {
			return c.Head, c.rows
		}
		row[x][column[name]] = y
	}
	for _, cells := range rows {
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "–"
			}
		}
	}
	return head, rows
}
