package main

import "testing"

func TestWriting(t *testing.T) {
	for n, want := range map[int64][2]string{
		0:             {"0", "0"},
		61:            {"Z", "61"},
		62:            {"10", "62"},
		999:           {"g7", "999"},
		1000:          {"g8", "1,000"},
		1_234_567_890: {"1ly7vk", "1,234,567,890"},
	} {
		if got := [2]string{base62(n), grouped(n)}; got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}
