package problem

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// controls returns every character that a terminal may obey.
func controls() (all []rune) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsControl(r) || IsBidiControl(r) {
			all = append(all, r)
		}
	}
	return all
}

// Every control, in every part of a problem, is printed as an escape.
func TestPrintedProblemHoldsNoControl(t *testing.T) {
	all := controls()
	if len(all) != 65+9 {
		t.Fatalf("walked %d controls", len(all))
	}
	for _, r := range all {
		s := "a" + string(r) + "b"
		for part, p := range map[string]Problem{
			"text": {Text: s}, "hint": {Hint: s}, "check": {Check: s}, "file": {Pos: Pos{File: s, Line: 1, Col: 2}},
		} {
			printed := strings.TrimPrefix(p.String(), ": ")
			for _, c := range printed {
				own := c == '\n' && (part == "hint" || part == "text" || part == "check") || c == '\t'
				if (unicode.IsControl(c) || IsBidiControl(c)) && !own {
					t.Errorf("%U in the %s is printed as %q", r, part, printed)
				}
			}
		}
	}
}

// Escaping JSON does not change what it says.
func TestPrintableJSONIsTheSameValue(t *testing.T) {
	for _, r := range controls() {
		want := "a" + string(r) + "\\b"
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		escaped := PrintableJSON(string(data))
		var got string
		if err := json.Unmarshal([]byte(escaped), &got); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", escaped, got, err, want)
		}
		if strings.ContainsFunc(escaped, unprintable) {
			t.Errorf("%q holds %U", escaped, r)
		}
	}
}
