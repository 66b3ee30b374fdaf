package load

import (
	"time"

	"verbatim/internal/problem"
)

// checkDate complains about a date that is none, or that has not come yet
// anywhere on earth: readers see it as the day on which something was done.
func checkDate(pos problem.Pos, check, key, date string, ps *problem.List) {
	if date == "" {
		return
	}
	day, err := time.Parse(time.DateOnly, date)
	switch {
	case err != nil:
		ps.AddHint(pos, check, "write it as 2026-11-29", "%s is not a date: %q", key, date)
	case day.After(time.Now().UTC().AddDate(0, 0, 1)):
		ps.AddHint(pos, check, "write the day on which it was done", "%s is a date that has not come yet: %s", key, date)
	}
}
