package main

import "testing"

func TestBase62(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 9: "9", 61: "Z", 62: "10", 999: "g7", 1000: "g8", 1_234_567_890: "1ly7vk"} {
		if got := base62(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}
