package lab

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestClock plays the blocks of testdata/clock.txt.
func TestClock(t *testing.T) {
	l := open(t)
	text, err := os.ReadFile("testdata/clock.txt")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		name, _, _ := strings.Cut(block, "\n")
		t.Run(name, func(t *testing.T) { playClock(t, l, block) })
	}
}

func playClock(t *testing.T, l *Lab, block string) {
	var clock *Clock
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		asked, want, _ := strings.Cut(strings.TrimSpace(line), " => ")
		words := strings.Fields(asked)
		if clock == nil {
			clock = fresh(t, l, words[0])
		}
		if err := clock.At(t.Context(), words[0]); err != nil {
			t.Fatal(err)
		}
		if got := answer(t, l, clock, words[1:]); got != want {
			t.Errorf("%s => %s, want %s", asked, got, want)
		}
	}
}

// answer returns what Redis answers to a command, or the clock to LEFT.
func answer(t *testing.T, l *Lab, clock *Clock, words []string) string {
	if words[0] == "LEFT" {
		return fmt.Sprint(left(clock, words[1]).Seconds())
	}
	command := make([]any, len(words))
	for i, word := range words {
		command[i] = word
	}
	got, err := l.Redis().Do(t.Context(), command...).Result()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got)
}

// left returns the time until a key expires on the clock, 0 for one without an expiry.
func left(c *Clock, key string) time.Duration {
	i := slices.Index(c.known, any(key))
	if i < 0 {
		return 0
	}
	return time.Duration(c.known[i+2].(int64)) * time.Millisecond
}

// fresh returns a clock over an empty Redis.
func fresh(t *testing.T, l *Lab, at string) *Clock {
	t.Helper()
	if err := l.Redis().FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	clock, err := l.Clock(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return clock
}

func TestClockGivesRealTimeBack(t *testing.T) {
	l := open(t)
	clock := fresh(t, l, "09:00:00")
	if err := l.Redis().Set(t.Context(), "k", 1, time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	for second := 1; second <= 5; second++ {
		time.Sleep(20 * time.Millisecond)
		if err := clock.At(t.Context(), fmt.Sprintf("09:00:%02d", second)); err != nil {
			t.Fatal(err)
		}
	}
	if got := left(clock, "k"); got != 55*time.Second {
		t.Errorf("after 5 s of the model k has %v left of its minute", got)
	}
}

// A pause of the machine between two steps. In testdata/clock.txt there is none.
func TestClockAfterAPause(t *testing.T) {
	l := open(t)
	for _, test := range []struct {
		pause, expiry time.Duration
	}{
		{3 * time.Second, time.Minute},
		{3 * time.Second, time.Hour},
		{3 * time.Second, 30 * time.Second},
		{50 * time.Second, time.Minute},
	} {
		clock := fresh(t, l, "09:00:00")
		clock.since -= test.pause.Milliseconds()
		// Set in the middle of the pause.
		if err := l.Redis().Set(t.Context(), "k", 1, test.expiry-test.pause/2).Err(); err != nil {
			t.Fatal(err)
		}
		if err := clock.At(t.Context(), "09:00:00"); err != nil {
			t.Fatal(err)
		}
		if got := left(clock, "k"); got != test.expiry {
			t.Errorf("after a pause of %v, an expiry of %v counts as %v", test.pause, test.expiry, got)
		}
	}
}

// Within a second there is one whole number, round or not.
func TestClockTellsOddSeconds(t *testing.T) {
	l := open(t)
	for range 20 {
		begin := time.Now()
		clock := fresh(t, l, "09:00:00")
		if err := l.Redis().Set(t.Context(), "k", 1, 59*time.Second).Err(); err != nil {
			t.Fatal(err)
		}
		if err := clock.At(t.Context(), "09:00:00"); err != nil {
			t.Fatal(err)
		}
		if time.Since(begin) >= time.Second {
			continue // a busy machine; then 60 would be right
		}
		if got := left(clock, "k"); got != 59*time.Second {
			t.Errorf("an expiry of 59s counts as %v", got)
		}
		return
	}
	t.Skip("this machine is too busy: nothing was done within a second")
}

// What cannot be told any more must not change an answer in silence.
func TestClockRefusesToGuess(t *testing.T) {
	l := open(t)
	for name, pause := range map[string]func(*Clock){
		"a minute":                func(c *Clock) { c.since -= time.Minute.Milliseconds() },
		"a key that really ended": func(c *Clock) { c.known = []any{"old", c.since - 1, 1000} },
	} {
		t.Run(name, func(t *testing.T) {
			clock := fresh(t, l, "09:00:00")
			pause(clock)
			err := clock.At(t.Context(), "09:00:01")
			if err == nil || !strings.Contains(err.Error(), "too much real time went by at 09:00:00") {
				t.Errorf("got %v", err)
			}
			if now := clock.Now().Format(wall); now != "09:00:00" {
				t.Errorf("a step that failed moved the clock to %s", now)
			}
		})
	}
}

func TestClockKeepsWhatItFinds(t *testing.T) {
	l := open(t)
	if err := l.Redis().Set(t.Context(), "k", 1, time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	clock, err := l.Clock(t.Context(), "09:00:00")
	if err != nil {
		t.Fatal(err)
	}
	if got := left(clock, "k"); got != time.Minute {
		t.Errorf("k has %v left of its minute", got)
	}
}

func TestClockTimes(t *testing.T) {
	l := open(t)
	clock := fresh(t, l, "09:00:20")
	for at, want := range map[string]string{
		"09:00:19":      "before 09:00:20",
		"9 o'clock":     "no time such as 09:00:20",
		"24:00:00":      "no time such as 09:00:20",
		"09:00:20.0005": "finer than a millisecond",
	} {
		if err := clock.At(t.Context(), at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("At(%q): %v; want %q in it", at, err, want)
		}
	}
	if _, err := l.Clock(t.Context(), "noon"); err == nil {
		t.Error("a clock stands at noon")
	}
}
