package lab

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Clock is a model clock over the lab's real Redis. Time passes only when At is
// called: At shortens the remaining life of every key that has an expiry, and
// deletes the keys whose time is up. Which keys have an expiry, and until when,
// is what Redis says; that they end is simulated. So a minute passes at once.
//
//	clock, err := l.Clock(ctx, "09:00:00")
//	...                                // INCR, EXPIRE 60
//	err = clock.At(ctx, "09:00:20")    // TTL now answers 40
//
// A limiter that is to live by the same clock takes it as its Options.Clock:
//
//	limiter.New(l.Redis(), limiter.Options{Clock: clock.Now})
//
// What it asks of a program:
//
//   - Real time goes on meanwhile, and is given back to every key at each step.
//     Between two steps less than a minute of it may go by, and less than any key
//     has left; else At fails.
//   - Expiries are whole seconds, as EXPIRE sets them; others are rounded up.
//     Where a second or more of real time goes by before the next step, an
//     expiry is taken for the roundest number that it can have been: 60 rather
//     than 59. Steps of At may be shorter than a second.
//   - Only keys of the database that the lab's client uses move. TIME in a
//     script, idle times and commands that block stay with the real clock. The
//     limiter sees to it that its keys live at least a minute on this clock.
//   - One clock at a time.
type Clock struct {
	rdb *redis.Client

	mu    sync.Mutex
	now   time.Time
	since int64 // the server's time at the last step, in milliseconds
	known []any // what clock.lua returned about keys with an expiry
}

// wall is how model times are written. The day is not shown.
const (
	wall = "15:04:05"
	day  = "2000-01-03 "
)

//go:embed clock.lua
var clockLua string

var moveClock = redis.NewScript(clockLua)

// Clock returns a model clock set to a wall time, written "09:00:00" or
// "09:00:59.99". Keys that are there already keep what they have left, rounded
// up to whole seconds.
func (l *Lab) Clock(ctx context.Context, at string) (*Clock, error) {
	now, err := parseWall(at)
	if err != nil {
		return nil, err
	}
	c := &Clock{rdb: l.rdb, now: now}
	return c, c.pass(ctx, 0)
}

// At moves the clock forward to a wall time of the same day: a key whose expiry
// lies at that time or before it is gone, every other key is that much nearer to
// its end, and a key without an expiry stays. Its present time is no error;
// an earlier one is.
func (c *Clock) At(ctx context.Context, at string) error {
	next, err := parseWall(at)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := next.Sub(c.now)
	if d < 0 {
		return fmt.Errorf("clock: %s is before %s: keys that ended would have to come back", at, c.now.Format(wall))
	}
	if err := c.pass(ctx, d); err != nil {
		return err
	}
	c.now = next
	return nil
}

// Now is the time on the model clock. It fits limiter.Options.Clock, and any
// number of goroutines may call it.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// pass lets d go by for every key.
func (c *Clock) pass(ctx context.Context, d time.Duration) error {
	argv := append([]any{d.Milliseconds(), c.since}, c.known...)
	reply, err := moveClock.Run(ctx, c.rdb, nil, argv...).Slice()
	switch {
	case redis.HasErrorPrefix(err, "SLOW"):
		return fmt.Errorf("clock: too much real time went by at %s on the model clock (%w): do less between two steps", c.now.Format(wall), err)
	case err != nil:
		return fmt.Errorf("clock: %w", err)
	}
	c.since, c.known = reply[0].(int64), reply[1:]
	return nil
}

func parseWall(at string) (time.Time, error) {
	t, err := time.Parse("2006-01-02 "+wall, day+at)
	switch {
	case err != nil:
		return t, fmt.Errorf("clock: %q is no time such as 09:00:20", at)
	case t.Nanosecond()%int(time.Millisecond) != 0:
		return t, fmt.Errorf("clock: %q is finer than a millisecond, which expiries are counted in", at)
	}
	return t, nil
}
