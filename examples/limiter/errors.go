package limiter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// An InvalidError is a mistake of the caller: a negative cost, a window of
// nothing, a request id that was used before for other charges. Nothing was
// charged.
type InvalidError struct {
	Reason string // what cannot be, and why
}

func (e *InvalidError) Error() string { return "limiter: " + e.Reason }

// An UnavailableError says that Redis made no decision. It never means that a
// limit was reached: answer it with the route's policy, not with 429.
type UnavailableError struct {
	// Op is what was asked for: "take", "peek", "refund", "reset".
	Op string
	// Kind is the cause by its kind, and Kind.Remedy what to do about it.
	Kind ErrorKind
	// Limits are the names of the limits of the call, and Classes the classes of
	// its keys, in which a star replaces the subject. Keys are the Redis keys
	// where one of them is the cause (KindWrongType); they name the subject.
	Limits, Classes, Keys []string
	// Unknown is true where the request may have reached Redis, so that the
	// units may be charged or not. The limiter never repeats such a charge.
	Unknown bool
	// RetryAfter is how long the breaker stays open, 0 where it is closed.
	RetryAfter time.Duration
	// Err is the cause: an error of the network or the reply of Redis.
	Err error
}

func (e *UnavailableError) Error() string {
	text := "no decision"
	if e.Unknown {
		text = "no answer, and it may have been charged"
	}
	text = fmt.Sprintf("limiter: %s: %s: %v", e.Op, text, e.Err)
	if len(e.Keys) > 0 {
		text += " (key " + strings.Join(e.Keys, " or ") + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// An ErrorKind says why Redis made no decision. Its text is a word for counters
// and logs.
type ErrorKind string

// The kinds.
const (
	KindTimeout    ErrorKind = "timeout"    // no answer in time
	KindDial       ErrorKind = "dial"       // no connection
	KindNetwork    ErrorKind = "network"    // the connection broke
	KindAuth       ErrorKind = "auth"       // no password or the wrong one
	KindPermission ErrorKind = "permission" // the user may not run a command or use a key
	KindOOM        ErrorKind = "oom"        // maxmemory is reached
	KindReadOnly   ErrorKind = "readonly"   // the server is a replica
	KindWrongType  ErrorKind = "wrongtype"  // the key holds something else
	KindScript     ErrorKind = "script"     // Redis could not run the script
	KindCluster    ErrorKind = "cluster"    // the slot is moving or has no master
	KindReply      ErrorKind = "reply"      // another reply of error, such as LOADING
	KindOpen       ErrorKind = "open"       // the circuit breaker is open
	KindCaller     ErrorKind = "caller"     // the caller left before the answer
)

// Remedy says what to do about errors of the kind; it is empty for KindCaller.
func (k ErrorKind) Remedy() string {
	return map[ErrorKind]string{
		KindTimeout:    "look at the latency of redis (SLOWLOG, LATENCY DOCTOR, CPU, network), or raise Options.Timeout",
		KindDial:       "check that redis runs and that its address and port are right",
		KindNetwork:    "check whether redis was restarted or a proxy closes connections (timeout, maxclients)",
		KindAuth:       "set the client's Username and Password to those that redis expects",
		KindPermission: "grant the limiter's user the commands that the package documentation lists, on its key prefix",
		KindOOM:        "raise maxmemory, or run the limiter on a redis of its own",
		KindReadOnly:   "connect to the master: through Sentinel, a Cluster client, or its present address",
		KindWrongType:  "another program wrote the key: DEL it, or use another Options.Prefix",
		KindScript:     "check that redis is version 5.0 or later and allows scripts (EVAL, EVALSHA, TIME)",
		KindCluster:    "wait until the slot has moved or has a master again (CLUSTER INFO)",
		KindReply:      "read the reply: redis answers, but does not serve this command now",
		KindOpen:       "redis did not answer lately: see the failure that opened the breaker",
	}[k]
}

// misconfigured reports whether the error is one of configuration, which does
// not go away by itself: without a password or a permission no limit holds.
func (k ErrorKind) misconfigured() bool { return k == KindAuth || k == KindPermission }

var (
	// errOpen is the cause while the breaker lets nothing through.
	errOpen = errors.New("circuit breaker is open: redis did not answer lately")
	// errAbandoned is the cause where a caller left before its call was sent.
	errAbandoned = errors.New("the caller left before the call was sent")
	// errLeft is the cause where a caller left before the answer.
	errLeft = errors.New("the caller left before the answer")
)

// replyKinds are found in replies of error, first match first. Older servers put
// the code of an error within a script in the middle of the text.
var replyKinds = []struct {
	text string
	kind ErrorKind
}{
	{"the key holds no", KindWrongType},
	{"WRONGTYPE", KindWrongType},
	{"NOAUTH", KindAuth}, {"WRONGPASS", KindAuth}, {"invalid password", KindAuth}, {"AUTH <password>", KindAuth},
	{"NOPERM", KindPermission}, {"can't run this command", KindPermission}, {"can't access at least one of the keys", KindPermission},
	{"OOM ", KindOOM},
	{"READONLY", KindReadOnly},
	{"TRYAGAIN", KindCluster}, {"MOVED ", KindCluster}, {"ASK ", KindCluster}, {"CLUSTERDOWN", KindCluster}, {"CROSSSLOT", KindCluster},
	{"NOSCRIPT", KindScript}, {"user_script", KindScript}, {"compiling script", KindScript}, {"unknown command", KindScript},
}

// kindOf returns the kind of a cause.
func kindOf(err error) ErrorKind {
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, errOpen):
		return KindOpen
	case errors.Is(err, errAbandoned), errors.Is(err, errLeft), errors.Is(err, context.Canceled):
		return KindCaller
	case answered(err):
		for _, k := range replyKinds {
			if strings.Contains(err.Error(), k.text) {
				return k.kind
			}
		}
		return KindReply
	case errors.As(err, &op) && op.Op == "dial":
		return KindDial
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, redis.ErrPoolTimeout), errors.As(err, &timeout) && timeout.Timeout():
		return KindTimeout
	}
	return KindNetwork
}

// answered reports whether err is a reply of Redis rather than the lack of one.
// The scripts write nothing when they fail, so a call that Redis answered with an
// error has charged nothing.
func answered(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// unsent reports whether err came before anything could have been charged.
func unsent(err error) bool {
	var op *net.OpError
	dial := errors.As(err, &op) && op.Op == "dial"
	return dial || errors.Is(err, errOpen) || errors.Is(err, errAbandoned) || errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrClosed)
}

// unavailable wraps the cause of a failed call.
func unavailable(op string, err error) error {
	return &UnavailableError{Op: op, Kind: kindOf(err), Unknown: !answered(err) && !unsent(err), Err: err}
}

// givenUp reports whether the caller cancelled the call.
func givenUp(err error) bool { return errors.Is(err, context.Canceled) }
