package limiter

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

var update = flag.Bool("update", false, "write what the scenarios print into their files")

// A scenario is a text of commands on a model clock, each followed by what it
// prints, indented. They run against a real Redis. The commands:
//
//	limit NAME ALGORITHM QUOTA/WINDOW [burst=N] [shadow] [counting]
//	at DURATION                     turns the clock, from 9:00
//	take CHARGE...  [xN]            N times; peek likewise
//	grant CHARGE...                 takes at most so much
//	refund [again] [CHARGE...]      of the last take that was admitted
//	reset CHARGE...
//	chain CHARGE... [xN]            one call for each, until one is refused
//	key NAME COUNT, incr ...        a limiter of two commands; see questions_test.go
//	tally                           how many takes of this scenario were refused
//	greedy CHARGE until DURATION    tries every 10 ms and tells the busiest spans
//	expiry CHARGE                   whether the key has one, and at least how long
//
// A CHARGE is SUBJECT:LIMIT or SUBJECT:LIMIT=COST, the parts of a subject apart
// by slashes.
type scenario struct {
	t      *testing.T
	l      *Limiter
	clock  *modelClock
	begin  time.Time
	limits map[string]Limit

	id      string
	charges []Charge // of the last take that was admitted
	refused int      // takes
	plain   map[string]string
}

func TestScenarios(t *testing.T) { playFiles(t, sharedClient(t), *update) }

// The scripts keep to what the emulator knows too, so that examples run there.
func TestScenariosOnEmulator(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
	t.Cleanup(func() { rdb.Close() })
	playFiles(t, rdb, false)
}

// Calls that share round trips are decided as those that go alone.
func TestScenariosShared(t *testing.T) {
	shareAll = true
	defer func() { shareAll = false }()
	playFiles(t, sharedClient(t), false)
}

// shareAll makes scenarios send every call through the shared pipeline.
var shareAll bool

func playFiles(t *testing.T, rdb *redis.Client, update bool) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := playAll(t, rdb, string(want))
			if update {
				if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want) && !update {
				t.Errorf("%s prints otherwise; -update accepts it:\n%s", name, difference(string(want), got))
			}
		})
	}
}

// playAll runs every scenario of a file, which begin with a line "== NAME".
func playAll(t *testing.T, rdb *redis.Client, text string) string {
	var out strings.Builder
	var s *scenario
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "  "): // what was printed before
			continue
		case strings.HasPrefix(line, "== "):
			clock := newModelClock()
			s = &scenario{t: t, clock: clock, begin: clock.Now(), limits: map[string]Limit{}, plain: map[string]string{}}
			s.l = newLimiter(t, rdb, Options{Clock: clock.Now})
			if shareAll {
				s.l.store.nodes.single.wire.above = 0
			}
		}
		out.WriteString(line + "\n")
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "== ") {
			continue
		}
		printed, err := s.run(strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if printed != "" {
			out.WriteString("  " + printed + "\n")
		}
	}
	return out.String()
}

func (s *scenario) run(words []string) (string, error) {
	verb, rest := words[0], words[1:]
	switch verb {
	case "limit":
		return "", s.limit(rest)
	case "at":
		d, err := time.ParseDuration(rest[0])
		if err != nil {
			return "", err
		}
		passed := s.begin.Add(d).Sub(s.clock.Now())
		s.clock.advance(passed)
		return "", s.age(passed)
	case "key":
		return "", s.leak(rest[0], rest[1])
	case "tally":
		return fmt.Sprintf("%d refused", s.refused), nil
	case "refund":
		return s.refund(rest)
	case "greedy":
		return s.greedy(rest)
	case "expiry":
		return s.expiry(rest)
	}
	rest, times, err := repeated(rest)
	if err != nil {
		return "", err
	}
	if verb == "incr" {
		return s.incr(rest, times)
	}
	charges, err := s.chargesOf(rest)
	if err != nil {
		return "", err
	}
	if verb == "chain" {
		return s.chain(charges, times)
	}
	return s.decide(verb, charges, times)
}

// repeated cuts the last word off where it says how many times.
func repeated(words []string) (rest []string, times int, err error) {
	last := len(words) - 1
	number, ok := strings.CutPrefix(words[last], "x")
	if !ok {
		return words, 1, nil
	}
	times, err = strconv.Atoi(number)
	return words[:last], times, err
}

func (s *scenario) limit(words []string) error {
	quota, window, _ := strings.Cut(words[2], "/")
	l := Limit{Name: words[0]}
	for a := FixedWindow; a.known(); a++ {
		if strings.ReplaceAll(a.String(), " ", "-") == words[1] {
			l.Algorithm = a
		}
	}
	var err error
	if l.Quota, err = strconv.ParseInt(quota, 10, 64); err != nil {
		return err
	}
	if l.Window, err = time.ParseDuration(window); err != nil {
		return err
	}
	for _, word := range words[3:] {
		if word == "shadow" || word == "counting" {
			l.Shadow, l.CountRefused = l.Shadow || word == "shadow", l.CountRefused || word == "counting"
			continue
		}
		if l.Burst, err = strconv.ParseInt(strings.TrimPrefix(word, "burst="), 10, 64); err != nil {
			return err
		}
	}
	s.limits[l.Name] = l
	return nil
}

func (s *scenario) chargesOf(words []string) ([]Charge, error) {
	var charges []Charge
	for _, word := range words {
		word, number, ok := strings.Cut(word, "=")
		cost := int64(1)
		if ok {
			var err error
			if cost, err = strconv.ParseInt(number, 10, 64); err != nil {
				return nil, err
			}
		}
		subject, name, _ := strings.Cut(word, ":")
		l, ok := s.limits[name]
		if !ok {
			l.Name = name // and let it be refused as no limit
		}
		charges = append(charges, Charge{Subject: strings.Split(subject, "/"), Limit: l, Cost: cost})
	}
	return charges, nil
}

// decide takes, peeks, grants or resets, and returns the text of the last decision or,
// of several, how many were admitted.
func (s *scenario) decide(verb string, charges []Charge, times int) (string, error) {
	ctx := context.Background()
	call := s.l.Take
	switch verb {
	case "take":
	case "peek":
		call = s.l.Peek
	case "grant":
		for i := range charges {
			charges[i].AtMost = true
		}
	case "reset":
		return "", s.l.Reset(ctx, charges...)
	default:
		return "", errors.New("no such command")
	}
	admitted := 0
	var d Decision
	for range times {
		var err error
		if d, err = call(ctx, charges...); err != nil {
			return err.Error(), nil
		}
		if d.Outcome == Allowed {
			admitted++
			s.id, s.charges = d.ID(), charges
		} else if verb == "take" {
			s.refused++
		}
	}
	if times == 1 {
		return tell(d), nil
	}
	return fmt.Sprintf("%d allowed, %d refused; last %s", admitted, times-admitted, tell(d)), nil
}

// tell is a decision in words.
func tell(d Decision) string {
	text := d.Outcome.String()
	if len(d.Violated) > 0 {
		text += " by " + strings.Join(d.Violated, ", ")
	}
	text += fmt.Sprintf(", remaining %d", d.Remaining)
	if d.Granted > 1 {
		text += fmt.Sprintf(", granted %d", d.Granted)
	}
	if len(d.Shadowed) > 0 {
		text += ", shadowed " + strings.Join(d.Shadowed, ", ")
	}
	if d.RetryAfter > 0 {
		text += fmt.Sprintf(", retry after %v", d.RetryAfter)
	}
	if d.Delay > 0 {
		text += fmt.Sprintf(", start in %v", d.Delay)
	}
	return text
}

func (s *scenario) refund(words []string) (string, error) {
	charges := s.charges
	if len(words) > 0 {
		var err error
		if charges, err = s.chargesOf(words); err != nil {
			return "", err
		}
	}
	d, err := s.l.Refund(context.Background(), s.id, charges...)
	if err != nil {
		return err.Error(), nil
	}
	return fmt.Sprintf("gave back %d, remaining %d", d.Results[0].Granted, d.Remaining), nil
}

func (s *scenario) expiry(words []string) (string, error) {
	charges, err := s.chargesOf(words)
	if err != nil {
		return "", err
	}
	key, err := s.l.Key(charges[0])
	if err != nil {
		return "", err
	}
	ttl, err := s.l.rdb.PTTL(context.Background(), key).Result()
	if err != nil {
		return "", err
	}
	switch {
	case ttl == -2:
		return "no key", nil
	case ttl < 0:
		return "none", nil
	}
	return "yes", nil
}

// greedy tries every 10 ms, except before the RetryAfter of a refusal: the model shows
// that those tries are refused.
func (s *scenario) greedy(words []string) (string, error) {
	charges, err := s.chargesOf(words[:1])
	if err != nil {
		return "", err
	}
	until, err := time.ParseDuration(words[2])
	if err != nil {
		return "", err
	}
	const step = 10 * time.Millisecond
	var starts []time.Duration
	for now := s.clock.Now().Sub(s.begin); now < until; now = s.clock.Now().Sub(s.begin) {
		d, err := s.l.Take(context.Background(), charges...)
		if err != nil {
			return "", err
		}
		if d.Outcome == Allowed {
			starts = append(starts, now+d.Delay)
			if d.Remaining > 0 {
				continue
			}
		}
		s.clock.advance((d.RetryAfter + step - 1) / step * step)
	}
	return fmt.Sprintf("%d in any minute, %d in any 2 s", busiest(starts, time.Minute), busiest(starts, 2*time.Second)), nil
}

// busiest is the most starts in any span, its end not included.
func busiest(starts []time.Duration, span time.Duration) int {
	most, first := 0, 0
	for i := range starts {
		for starts[i]-starts[first] >= span {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// difference shows the lines that differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := range max(len(w), len(g)) {
		var old, now string
		if i < len(w) {
			old = w[i]
		}
		if i < len(g) {
			now = g[i]
		}
		if old != now {
			fmt.Fprintf(&b, "line %d\n-%s\n+%s\n", i+1, old, now)
		}
	}
	return b.String()
}
