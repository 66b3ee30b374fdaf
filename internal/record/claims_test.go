package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
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

// TestInvalid reads testdata/provenance.jsonl: a provenance that no run can have is
// refused, also if its checksum was computed anew. Today is 2026-11-29; a row without
// a date has today's.
func TestInvalid(t *testing.T) {
	const today = "2026-11-29"
	data, err := os.ReadFile("testdata/provenance.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		row := struct {
			Needs, Kind, Redis, Image, Go, Date string
			Connected, Valid                    bool
		}{Needs: "none", Kind: "run", Date: today}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		e := lesson.Example{Needs: row.Needs, Go: row.Kind == "go"}
		p := Provenance{Redis: row.Redis, Image: row.Image, Go: row.Go, Date: row.Date, Connected: row.Connected}
		if wrong := p.Invalid(e, today); (wrong == "") != row.Valid {
			t.Errorf("%s: %q", line, wrong)
		}
	}
}

// TestForms: every text of a provenance has a form, and none has room for a sentence.
func TestForms(t *testing.T) {
	fields := reflect.TypeFor[Provenance]()
	texts := 0
	for i := range fields.NumField() {
		if fields.Field(i).Type.Kind() != reflect.String {
			continue
		}
		texts++
		key, _, _ := strings.Cut(fields.Field(i).Tag.Get("yaml"), ",")
		at := slices.IndexFunc(forms, func(f form) bool { return f.key == key })
		if at < 0 {
			t.Errorf("no form for %s", key)
			continue
		}
		if f := forms[at]; !f.pattern.MatchString(f.like) || f.pattern.MatchString("official version") || f.pattern.MatchString(f.like+"\n") {
			t.Errorf("the form of %s is wrong", key)
		}
	}
	if texts != len(forms) {
		t.Errorf("%d forms for %d texts", len(forms), texts)
	}
}

// TestHidden: masks that hide nearly everything leave nothing to compare.
func TestHidden(t *testing.T) {
	const output = "call 1 allowed\ncall 2 refused\ncall 3 allowed at 12:00:00\n"
	for pattern, tooMuch := range map[string]bool{
		`\w+`: true, `.+`: true, `[a-z0-9]+`: true, `\S+`: true, `[^ ]+`: true, `[[:alpha:]]+`: true, `(?s).`: true,
		`call \d \w+`: true, `\pL+`: true, `^.*$`: true, `c.*`: true,
		`\d+`: false, `\d\d:\d\d:\d\d`: false, `allowed`: false, `call`: false, `[aeiou]`: false, ` `: false,
	} {
		hidden, printed := Hidden([]lesson.Mask{{Pattern: pattern}}, &Evidence{Output: []byte(output)})
		if got := float64(hidden) > MaxHidden*float64(printed); got != tooMuch {
			t.Errorf("mask %s hides %d of %d", pattern, hidden, printed)
		}
	}
}

// TestPickMasked: match= sees the line that readers see.
func TestPickMasked(t *testing.T) {
	lines := []string{"took 5ms: ok", "took 9ms: ok", "id 17: bad"}
	masks := []lesson.Mask{{Name: "t", Pattern: `\d+ms`}, {Name: "id", Pattern: Typed["id"]}, {Name: "n", Pattern: `\b17\b`}}
	for match, want := range map[string]string{
		"5ms": "", "9": "", `\d`: "", "17": "", "5ms|bad": "3", "ok": "1 2", "⟨masked⟩": "1 2 3", "^took": "1 2",
		`took \d`: "", ".": "1 2 3", "5|9": "",
	} {
		numbers, err := PickNumbers(lines, masks, lesson.Fence{Match: match})
		got := strings.Trim(fmt.Sprint(numbers), "[]")
		if got != want || (err != nil) != (want == "") {
			t.Errorf("match=%q picks %q, want %q (%v)", match, got, want, err)
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
