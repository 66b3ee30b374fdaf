package lab

import "strconv"

// Thousands writes a whole number as English texts do, with a comma between
// its thousands: 1,234,567.
func Thousands(n int) string {
	if n < 0 {
		return "-" + Thousands(-n)
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
