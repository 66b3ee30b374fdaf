package limiter

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash/fnv"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxPart is the longest part of a key that is written out; longer ones are
// hashed, so that a client cannot make keys as long as it likes.
const maxPart = 64

// keyspace makes keys. A key reads
//
//	rl:{6:tenant,1:7}6:signin,f60s
//
// prefix, subject, then the limit's name, algorithm and window. Every part has
// its length in front, so that no two subjects share a key whatever bytes they
// hold. In a Cluster the part in braces decides the slot: the subject, or
// with Options.Tag its tag, then the subject follows.
type keyspace struct {
	prefix    string
	tag       func(subject []string) string
	normalize func(part string) string
	packed    bool
}

// place is where a charge's use is stored: a key, and in a packed key the tag of
// its record.
type place struct {
	key, tag string
	slot     int // length of the key's start that decides its slot
}

func (k *keyspace) place(c Charge) place {
	b := make([]byte, 0, 128)
	b = append(append(b, k.prefix...), '{')
	if k.tag != nil {
		b = k.part(b, k.tag(c.Subject))
	} else {
		b = k.subject(b, c.Subject)
	}
	b = append(b, '}')
	slot := len(b)
	if k.tag != nil {
		b = k.subject(b, c.Subject)
	}
	if k.packed && c.Limit.Algorithm != SlidingLog {
		return place{key: string(b), tag: recordTag(appendSuffix(nil, c.Limit)), slot: slot}
	}
	if k.tag != nil {
		b = append(b, ',')
	}
	return place{key: string(appendSuffix(b, c.Limit)), slot: slot}
}

func (k *keyspace) subject(b []byte, subject []string) []byte {
	for i, part := range subject {
		if i > 0 {
			b = append(b, ',')
		}
		b = k.part(b, part)
	}
	return b
}

func (k *keyspace) part(b []byte, part string) []byte {
	if k.normalize != nil {
		part = k.normalize(part)
	}
	return appendPart(b, part)
}

// appendPart writes one part with its length in front. One that is too long, or
// that would close the brace early, is written as its hash, with an h for a
// length.
func appendPart(b []byte, part string) []byte {
	if len(part) > maxPart || strings.ContainsAny(part, "{}") {
		sum := sha256.Sum256([]byte(part))
		return base64.RawURLEncoding.AppendEncode(append(b, "h:"...), sum[:16])
	}
	b = strconv.AppendInt(b, int64(len(part)), 10)
	return append(append(b, ':'), part...)
}

// appendSuffix writes the part of a key that names the limit.
func appendSuffix(b []byte, l Limit) []byte {
	b = append(appendPart(b, l.Name), ',')
	b = append(b, algorithms[l.Algorithm].kind...)
	return appendWindow(b, l.Window)
}

// isKey reports whether a key has the form of those that a limiter with the prefix
// makes: parts in braces, then more parts, one of the markers or a limit, or
// nothing.
func isKey(prefix, key string) bool {
	rest, ok := strings.CutPrefix(key, prefix+"{")
	if !ok {
		return false
	}
	if rest, ok = cutParts(rest); !ok || !strings.HasPrefix(rest, "}") {
		return false
	}
	rest = rest[1:]
	for _, marker := range []string{"once,", "refund,"} {
		if name, found := strings.CutPrefix(rest, marker); found {
			rest, ok = cutParts(name)
			return ok && rest == ""
		}
	}
	if rest == "" {
		return true // packed
	}
	if rest, ok = cutParts(rest); !ok || rest == "" {
		return ok // packed, beside a tag
	}
	kind, found := strings.CutPrefix(rest, ",")
	if !found || kind == "" || !slices.ContainsFunc(algorithms[FixedWindow:], func(a algorithm) bool { return a.kind == kind[:1] }) {
		return false
	}
	window, err := time.ParseDuration(kind[1:])
	return err == nil && window >= time.Millisecond && window <= MaxWindow
}

// cutParts cuts one part or more, apart by commas, off the start of a key.
func cutParts(key string) (rest string, ok bool) {
	for {
		length, after, found := strings.Cut(key, ":")
		n, err := strconv.Atoi(length)
		if length == "h" {
			n, err = 22, nil
		}
		if !found || err != nil || n < 0 || n > maxPart || len(after) < n {
			return key, false
		}
		rest = after[n:]
		next, more := strings.CutPrefix(rest, ",")
		if !more || next == "" || next[0] != 'h' && (next[0] < '0' || next[0] > '9') {
			return rest, true
		}
		key = next
	}
}

// marker is a key of this name in the slot of p.
func (p place) marker(what, name string) string {
	b := append([]byte(p.key[:p.slot]), what...)
	return string(appendPart(append(b, ','), name))
}

// digest identifies a place of a decision, in its id.
func (p place) digest() string {
	h := fnv.New64a()
	h.Write([]byte(p.key))
	h.Write([]byte(p.tag))
	return strconv.FormatUint(h.Sum64()>>24, 36)
}

// requestName replaces the id of a request in keys and in the ids of decisions:
// ids come from clients and may be of any length.
func requestName(request string) string {
	sum := sha256.Sum256([]byte(request))
	return hex.EncodeToString(sum[:16])
}

// requestMarkers returns the keys that mark a request as seen: one for each slot name of
// the charges, which is one for each subject, or one for the tag.
func requestMarkers(places []place, name string) []string {
	var markers []string
	for _, p := range places {
		if m := p.marker("once", name); !slices.Contains(markers, m) {
			markers = append(markers, m)
		}
	}
	return markers
}

// recordTag is three bytes that stand for a limit in a packed key.
func recordTag(suffix []byte) string {
	h := fnv.New32a()
	h.Write(suffix)
	n := h.Sum32()
	n ^= n >> 24 // folds the highest byte into the three that stay
	return string([]byte{byte(n >> 16), byte(n >> 8), byte(n)})
}

// windowUnits are the units that appendWindow writes, the largest first.
var windowUnits = [...]struct {
	unit time.Duration
	name string
}{
	{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"},
}

// appendWindow writes a window, of whole microseconds, as one number and one
// unit, "90s", as time.ParseDuration reads it.
func appendWindow(b []byte, d time.Duration) []byte {
	for _, u := range windowUnits {
		if d%u.unit == 0 {
			return append(strconv.AppendInt(b, int64(d/u.unit), 10), u.name...)
		}
	}
	return b
}

// IPSubject is an address as a part of a subject: an IPv4 address whole, an
// IPv6 address by its /64, since one customer has all of a /64. An IPv4 address
// in IPv6 clothing is the IPv4 address; a zone is dropped.
func IPSubject(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if addr.Is4() || !addr.IsValid() {
		return addr.String()
	}
	prefix, err := addr.Prefix(64)
	if err != nil {
		return addr.String()
	}
	return prefix.String()
}
