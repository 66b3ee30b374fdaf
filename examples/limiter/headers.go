package limiter

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The problem types that the draft registers, and RFC 9457's for the rest.
const (
	problemOurs     = "about:blank"
	problemQuota    = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	problemCapacity = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
)

// problem is a body of RFC 9457.
type problem struct {
	Type     string   `json:"type"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Violated []string `json:"violated-policies,omitempty"`
}

func writeProblem(w http.ResponseWriter, p problem) {
	body, err := json.Marshal(p)
	if err != nil {
		body = nil // a struct of strings and a number cannot fail
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	w.Write(append(body, '\n'))
}

// seconds rounds a wait up to whole seconds, so that no client returns too early.
func seconds(d time.Duration) int64 {
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}

// writeRetryAfter writes at least one second: 0 invites the client to hammer.
func writeRetryAfter(h http.Header, o MiddlewareOptions, d time.Duration) {
	wait := max(1, seconds(d))
	if !o.RetryDate {
		h.Set("Retry-After", strconv.FormatInt(wait, 10))
		return
	}
	// A date has whole seconds: the next one after the wait.
	at := time.Now().Add(d).Add(time.Second - 1).UTC()
	h.Set("Retry-After", at.Format(http.TimeFormat))
}

// writeHeaders writes the headers with the state of the limits.
func writeHeaders(h http.Header, o MiddlewareOptions, d Decision) {
	if d.Degraded {
		h.Set("X-RateLimit-Degraded", "true")
	}
	if len(d.Results) == 0 {
		return
	}
	t := tightest(d)
	reset := t.RetryAfter
	if reset == 0 {
		reset = t.ResetAfter
	}
	if o.DraftHeaders {
		h.Set("RateLimit-Policy", policyField(d.Results))
		h.Set("RateLimit", quoted(t.Limit.Name)+";r="+strconv.FormatInt(t.Remaining, 10)+";t="+strconv.FormatInt(seconds(reset), 10))
	}
	if o.LegacyHeaders {
		h.Set("X-RateLimit-Limit", strconv.FormatInt(t.Limit.capacity(), 10)) // never below what remains
		h.Set("X-RateLimit-Remaining", strconv.FormatInt(t.Remaining, 10))
		h.Set("X-RateLimit-Reset", strconv.FormatInt(seconds(reset), 10))
	}
}

// tightest is the result to show: of those that refused, or else of all, the one
// with the least left, and of several the one that takes longest.
func tightest(d Decision) Result {
	best := d.Results[0]
	for _, r := range d.Results[1:] {
		if tighter(r, best) {
			best = r
		}
	}
	return best
}

func tighter(a, b Result) bool {
	switch {
	case (a.Outcome != Allowed) != (b.Outcome != Allowed):
		return a.Outcome != Allowed
	case a.Remaining != b.Remaining:
		return a.Remaining < b.Remaining
	case a.RetryAfter != b.RetryAfter:
		return a.RetryAfter > b.RetryAfter
	}
	return a.ResetAfter > b.ResetAfter
}

// policyField lists the limits, each once: "name";q=quota;w=seconds. The draft's
// windows are whole seconds; another window is left out, as it may be.
func policyField(results []Result) string {
	var policies []string
	for _, r := range results {
		p := quoted(r.Limit.Name) + ";q=" + strconv.FormatInt(r.Limit.Quota, 10)
		if r.Limit.Window%time.Second == 0 {
			p += ";w=" + strconv.FormatInt(int64(r.Limit.Window/time.Second), 10)
		}
		if !slices.Contains(policies, p) {
			policies = append(policies, p)
		}
	}
	return strings.Join(policies, ", ")
}

// quoted is a name as a string of structured fields (RFC 9651), which holds
// printable ASCII; a name with other bytes is percent-encoded.
func quoted(name string) string {
	for i := range len(name) {
		if name[i] < ' ' || name[i] > '~' {
			name = url.PathEscape(name)
			break
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
