package lab

import "testing"

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 12034: "12,034", 999999: "999,999", 1234567890: "1,234,567,890",
		-1: "-1", -999: "-999", -1000: "-1,000",
	} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}
