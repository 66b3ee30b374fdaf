package limiter

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua lua/quick/*.lua
var lua embed.FS

// A script is a text and the digest that Redis knows it by. It runs whole or,
// when anything is wrong with what it finds, changes nothing.
type script struct{ text, digest string }

func newScript(text string) *script { return &script{text, redis.NewScript(text).Hash()} }

// parts are files of lua, one after the other.
func parts(files ...string) string {
	var text strings.Builder
	for _, name := range files {
		part, err := lua.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // the files are embedded: this cannot happen in a built program
		}
		text.Write(part)
	}
	return text.String()
}

// A family is one script in as many forms as there are sets of algorithms: what
// a form does not need it does not hold, since Redis runs all of it on each call.
type family struct {
	body  string
	forms [2 * packedBit]atomic.Pointer[script]
}

var (
	takeScript   = &family{body: "take"}
	refundScript = &family{body: "refund"}
	resetScript  = &family{body: "reset"}
	sweepScript  = newScript(parts("sweep"))
)

// scriptParts are what a form may hold; bit i of a set is the i-th: a
// file for the long path, and one that both paths need.
var scriptParts = [...]struct{ file, both string }{
	{file: "fixed"}, {file: "log"}, {"counter", "state_counter"}, {"bucket", "state_bucket"}, {file: "packed"},
}

// packedBit is the bit of a set that is no algorithm; exactBits are those
// of the algorithms that divide large products, counters and buckets.
const packedBit, exactBits = 1 << 4, 1<<2 | 1<<3

// form is the script that decides charges whose algorithms are in the set.
func (f *family) form(set uint8) *script {
	s := f.forms[set].Load()
	if s == nil {
		s = newScript(f.text(set, ""))
		f.forms[set].Store(s)
	}
	return s
}

// text is the text of a form, with a quick way before the long one.
func (f *family) text(set uint8, quick string) string {
	both, long := []string{"base"}, []string{"long"}
	if set&exactBits != 0 {
		both = append(both, "exact")
	}
	for i, part := range scriptParts {
		if set&(1<<i) == 0 {
			continue
		}
		long = append(long, part.file)
		if part.both != "" {
			both = append(both, part.both)
		}
	}
	return parts(both...) + quick + parts(append(long, "charge", f.body)...)
}

// setOf is what the charges need of the scripts.
func setOf(places []place, charges []Charge) uint8 {
	var set uint8
	for i, c := range charges {
		set |= 1 << algorithms[c.Limit.Algorithm].part
		if places[i].tag != "" {
			set |= packedBit
		}
	}
	return set
}

// The quick way is straight code for the charges of one call: no loop, no table
// and no function, each of which costs Redis more than what it would hold. It is
// written once for each charge, with the charge's number for i and _i.
//
// quickParts are the files in lua/quick that look at an algorithm's state, the one
// that writes it, and the content of the reply.
var quickParts = [...]struct {
	look  []string
	write string
	tell  []string
}{
	FixedWindow:    {[]string{"fixed"}, "count", []string{"used_i"}},
	SlidingCounter: {[]string{"counter"}, "set", []string{"used_i"}},
	TokenBucket:    {[]string{"bucket"}, "set", []string{"used_i", "life_i"}},
	LeakyBucket:    {[]string{"bucket", "queue"}, "set", []string{"used_i", "life_i", "delay_i"}},
}

// maxQuick is the most charges that go the quick way: each order of algorithms
// is a script of its own, which Redis keeps.
const maxQuick = 4

// quickScripts are those that were needed so far, by the algorithms in their
// order, as digits.
var quickScripts [10_000]atomic.Pointer[script]

// quickScript is the script for charges that ask for no more than the quick way
// decides, nil for others.
func quickScript(places []place, charges []Charge) *script {
	if len(charges) > maxQuick {
		return nil
	}
	n := 0
	for i, c := range charges {
		plain := places[i].tag == "" && c.Cost > 0 && c.Limit.Quota > 0 && !c.AtMost && !c.Limit.CountRefused && !c.Limit.Shadow && c.Limit.OnChange == Keep
		if !plain || c.Limit.Algorithm == SlidingLog {
			return nil
		}
		n = 10*n + int(c.Limit.Algorithm)
	}
	s := quickScripts[n].Load()
	if s == nil {
		s = newScript(takeScript.text(setOf(places, charges), quickWay(charges)))
		quickScripts[n].Store(s)
	}
	return s
}

// quickWay looks at all charges, and then writes all. Where it meets anything
// unusual it breaks off, before it has written anything, and the long way after it
// begins again. Both give one answer.
//
// The reply is short: the time, negative where the charges were refused, and of
// each charge what quickParts say. Fixed windows are refused here too, since all
// that there is to tell follows from their counts.
func quickWay(charges []Charge) string {
	var looks, mends, writes strings.Builder
	var refused, tells []string
	windows := !slices.ContainsFunc(charges, func(c Charge) bool { return c.Limit.Algorithm != FixedWindow })
	for i, c := range charges {
		q := quickParts[c.Limit.Algorithm]
		for _, file := range q.look {
			looks.WriteString(numbered(parts("quick/"+file), i))
		}
		switch {
		case windows:
			refused = append(refused, numbered("refused_i", i))
			mends.WriteString(numbered(parts("quick/refuse"), i))
		case c.Limit.Algorithm == FixedWindow:
			looks.WriteString(numbered("if refused_i then break end\n", i))
		}
		writes.WriteString(numbered(parts("quick/"+q.write), i))
		tells = append(tells, numbered(strings.Join(q.tell, ", "), i))
	}
	told := strings.Join(tells, ", ")
	decision := ""
	if windows {
		decision = "if " + strings.Join(refused, " or ") + " then\n" + mends.String() + "return { -now, " + told + " }\nend\n"
	}
	return "repeat\n" + looks.String() + decision + writes.String() + "return { now, " + told + " }\nuntil true\n"
}

// numbering finds where a charge's number belongs.
var numbering = regexp.MustCompile(`(\b|_)i\b`)

// numbered is the text for the charge of that index.
func numbered(text string, index int) string {
	return numbering.ReplaceAllString(text, fmt.Sprint("${1}", index+1))
}
