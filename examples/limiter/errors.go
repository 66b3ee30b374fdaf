package limiter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// An InvalidError is a mistake of the caller: a negative cost, a window of
// nothing, a client that would charge twice. Nothing was sent to Redis.
type InvalidError struct {
	Reason string // what cannot be, and why
}

func (e *InvalidError) Error() string { return "limiter: " + e.Reason }

// An UnavailableError says that Redis gave no decision. It never means that a
// limit was reached: answer it with the route's policy, not with 429.
type UnavailableError struct {
	// Op is what was asked for: "take", "peek", "refund", "reset".
	Op string
	// Unknown is true where the request may have reached Redis, so that the
	// units may be charged or not. The limiter never repeats such a charge.
	Unknown bool
	// RetryAfter is how long the breaker stays open, 0 where it is closed.
	RetryAfter time.Duration
	// Err is the cause: an error of the network or the reply of Redis.
	Err error
}

func (e *UnavailableError) Error() string {
	if e.Unknown {
		return fmt.Sprintf("limiter: %s: no answer, and it may have been charged: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("limiter: %s: no decision: %v", e.Op, e.Err)
}

// Unwrap gives the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// errOpen is the cause while the breaker lets nothing through.
var errOpen = errors.New("circuit breaker is open: redis did not answer lately")

// answered says whether err is a reply of Redis rather than the lack of one.
// The scripts write nothing when they fail, so a reply of error is known not to
// have charged.
func answered(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// unsent says whether err came before anything could have been charged.
func unsent(err error) bool {
	var op *net.OpError
	dial := errors.As(err, &op) && op.Op == "dial"
	return dial || errors.Is(err, errOpen) || errors.Is(err, errAbandoned) || errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrClosed)
}

// unavailable wraps the cause of a failed call.
func unavailable(op string, err error) error {
	return &UnavailableError{Op: op, Unknown: !answered(err) && !unsent(err), Err: err}
}

// givenUp says whether the caller went away, which tells nothing about Redis.
func givenUp(err error) bool { return errors.Is(err, context.Canceled) }
