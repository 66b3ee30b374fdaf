package record

import (
	"testing"

	"verbatim/internal/lesson"
)

// TestHide: a page shows the name of a mask in place of what it matches, whatever
// else the masks match.
func TestHide(t *testing.T) {
	typed := func(name string) lesson.Mask { return lesson.Mask{Name: name, Pattern: Typed[name]} }
	own := func(pattern string) lesson.Mask { return lesson.Mask{Name: pattern, Pattern: pattern} }
	for _, c := range []struct {
		masks      []lesson.Mask
		line, want string
	}{
		{nil, "at 12:00:00", "at 12:00:00"},
		{[]lesson.Mask{typed("time")}, "at 12:00:00", "at ⟨time⟩"},
		{[]lesson.Mask{typed("time")}, "12:00:00 to 12:00:01", "⟨time⟩ to ⟨time⟩"},
		{[]lesson.Mask{typed("port")}, "127.0.0.1:4000 answers", "⟨port⟩ answers"},
		{[]lesson.Mask{typed("id")}, "pid 17", "⟨id⟩"},
		{[]lesson.Mask{own(`\d+ keys`)}, "hello 999999 keys", "hello ⟨masked⟩"},
		{[]lesson.Mask{own(`\d+`), own("⟨masked⟩")}, "3 keys", "⟨masked⟩ keys"},
		{[]lesson.Mask{typed("time"), own("tim.")}, "time 12:00:00", "⟨masked⟩ ⟨time⟩"},
		{[]lesson.Mask{own("^.*$")}, "everything", "⟨masked⟩"},
		{[]lesson.Mask{own("(")}, "not a pattern (", "not a pattern ("},
		{[]lesson.Mask{own("$1")}, "costs $1", "costs $1"},
		{[]lesson.Mask{own("é+")}, "caféé", "caf⟨masked⟩"},
		{[]lesson.Mask{own("x")}, "", ""},
	} {
		if got := Hide(c.line, c.masks); got != c.want {
			t.Errorf("%q under %v is %q, want %q", c.line, c.masks, got, c.want)
		}
	}
}

// TestInvalid: a provenance that no run can have is refused, also if its checksum
// was computed anew.
func TestInvalid(t *testing.T) {
	const today = "2026-11-29"
	for _, c := range []struct {
		needs string
		p     Provenance
		valid bool
	}{
		{"none", Provenance{Date: today}, true},
		{"none", Provenance{Date: "2026-11-30"}, true}, // another time zone
		{"none", Provenance{Date: "2020-01-01", Go: "go1.26.0"}, true},
		{"redis", Provenance{Date: today, Redis: "7.0.15"}, true},
		{"redis", Provenance{Date: today, Redis: "7.0.15", Image: "redis:7.0.15", Connected: true}, true},
		{"redis-cluster", Provenance{Date: today, Redis: "7.0.15"}, true},
		{"none", Provenance{Date: "2026-12-01"}, false},
		{"none", Provenance{Date: "2031-01-01"}, false},
		{"none", Provenance{Date: ""}, false},
		{"none", Provenance{Date: "29 Nov 2026"}, false},
		{"none", Provenance{Date: "2026-02-30"}, false},
		{"none", Provenance{Date: today, Redis: "99.9.9"}, false},
		{"none", Provenance{Date: today, Image: "redis:99"}, false},
		{"none", Provenance{Date: today, Connected: true}, false},
		{"redis", Provenance{Date: today}, false},
		{"redis-cluster", Provenance{Date: today, Go: "go1.26.0"}, false},
	} {
		if wrong := c.p.Invalid(c.needs, today); (wrong == "") != c.valid {
			t.Errorf("needs %s, %+v: %q", c.needs, c.p, wrong)
		}
	}
}

// TestNotMeasured: what has a tolerance is a finite number, in a value and in each
// row of a column.
func TestNotMeasured(t *testing.T) {
	for _, c := range []struct {
		text  string
		valid bool
	}{
		{"100", true}, {"-2.5", true}, {"1e3", true}, {"0", true},
		{"Inf", false}, {"-Inf", false}, {"+inf", false}, {"NaN", false}, {"nan", false},
		{"infinity", false}, {"1e999", false}, {"many", false}, {"", false}, {"1,000", false},
	} {
		value := &Evidence{Values: map[string]string{"n": c.text}}
		if where, _ := NotMeasured(map[string]float64{"n": 10}, value); (where == "") != c.valid {
			t.Errorf("value %q: %q", c.text, where)
		}
		table := &Evidence{Tables: map[string][]byte{"t.csv": []byte("x,ms\n1,5\n2,\"" + c.text + "\"\n")}}
		valid := c.valid || c.text == "" // a row without a figure
		if where, _ := NotMeasured(map[string]float64{"t.csv:ms": 10}, table); (where == "") != valid {
			t.Errorf("cell %q: %q", c.text, where)
		}
	}
}
