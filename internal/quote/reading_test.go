package quote

import (
	"math/rand/v2"
	"testing"
)

// plainBytes is plainASCII as its comment says it, a byte at a time.
func plainBytes(s string) int {
	visible := func(i int) bool { return i < len(s) && s[i] > ' ' && s[i] < 0x80 }
	for i := 0; ; i++ {
		space := i > 0 && i < len(s) && s[i] == ' ' && visible(i+1)
		if !visible(i) && !space {
			return i
		}
	}
}

// TestPlainASCII holds that eight bytes at a time are judged as one at a time.
func TestPlainASCII(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	odd := []byte{' ', ' ', '\n', 0, 0x1f, 0x7f, 0x80, 0xa0, 0xff, '!', '~'}
	for range 20_000 {
		s := make([]byte, dice.IntN(40))
		for i := range s {
			s[i] = "abcd efgh"[dice.IntN(9)]
			if dice.IntN(16) == 0 {
				s[i] = odd[dice.IntN(len(odd))]
			}
		}
		if got, want := plainASCII(string(s)), plainBytes(string(s)); got != want {
			t.Fatalf("%q: %d bytes are plain, want %d", s, got, want)
		}
	}
}
