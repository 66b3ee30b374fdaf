package problem

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	table, err := os.ReadFile("testdata/near.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(table)); s.Scan(); {
		var row struct {
			Word, Want, Why string
			Known           []string
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%v in %s", err, s.Text())
		}
		if got := DidYouMean(row.Word, row.Known); got != row.Want {
			t.Errorf("DidYouMean(%q, %q) = %q, want %q: %s", row.Word, row.Known, got, row.Want, row.Why)
		}
	}
}

// fullEdits is the distance by the whole table, against which edits is tested.
func fullEdits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case s[i-1] == t[j-1]:
				rows[i][j] = min(rows[i-1][j-1], rows[i-1][j]+1, rows[i][j-1]+1)
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}

// mutated returns a word and one that is a few edits from it.
func mutated(random *rand.Rand) (word, other string) {
	letters := []rune("abcé限x-/.")
	a := make([]rune, random.IntN(14))
	for i := range a {
		a[i] = letters[random.IntN(len(letters))]
	}
	b := slices.Clone(a)
	for range random.IntN(6) {
		at := random.IntN(len(b) + 1)
		switch {
		case random.IntN(3) == 0:
			b = slices.Insert(b, at, letters[random.IntN(len(letters))])
		case at < len(b) && random.IntN(2) == 0:
			b = slices.Delete(b, at, at+1)
		case at+1 < len(b):
			b[at], b[at+1] = b[at+1], b[at]
		}
	}
	return string(a), string(b)
}

// The distance is right up to its limit, and the limit beyond.
func TestEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	for range 5_000 {
		a, b := mutated(random)
		for limit := 1; limit <= maxEdits+1; limit++ {
			if got, want := edits(a, b, limit), min(limit, fullEdits(a, b)); got != want {
				t.Fatalf("edits(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
			}
		}
	}
}

// Among many names the hint is the one that all comparisons find, unless the
// word is changed at both ends.
func TestNames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	for _, size := range []int{0, 1, maxCompared, maxCompared + 1, 4000} {
		var known []string
		for i := range size {
			known = append(known, fmt.Sprintf("section-%04d-of-the-api", i))
		}
		names := NewNames(known)
		for range min(size, 30) {
			right := known[random.IntN(size)]
			for _, word := range []string{right + "x", "s" + right, "sectoin" + right[7:], right[:12] + right[13:], strings.Replace(right, "-of-", "-fo-", 1), strings.ToUpper(right[:1]) + right[1:]} {
				if want, got := DidYouMean(word, known), names.DidYouMean(word); got != want {
					t.Errorf("%d names: %q: %q, want %q", size, word, got, want)
				}
			}
		}
		if got := names.DidYouMean("something else"); got != "" {
			t.Errorf("%d names: %q", size, got)
		}
	}
}

// A hint lists a few names.
func TestListed(t *testing.T) {
	names := strings.Split("a b c d e f g h i j k l", " ")
	for n, want := range map[int]string{0: "", 1: "a", 10: "a, b, c, d, e, f, g, h, i, j", 12: "a, b, c, d, e, f, g, h, i, j and 2 more"} {
		if got := Listed(names[:n]); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestAt(t *testing.T) {
	src := []byte("ab\r\ncd\n\nx")
	for _, row := range []struct{ offset, line, col int }{
		{0, 1, 1}, {1, 1, 2}, {4, 2, 1}, {7, 3, 1}, {8, 4, 1}, {9, 4, 2}, {99, 4, 2}, {-1, 1, 1},
	} {
		if got := At("f", src, row.offset); got.Line != row.line || got.Col != row.col {
			t.Errorf("At(%d) = %d:%d, want %d:%d", row.offset, got.Line, got.Col, row.line, row.col)
		}
	}
}

// The list prints in one order, without repetitions, however it was gathered.
func TestListPrintsSorted(t *testing.T) {
	var l List
	l.Warn(Pos{"b.md", 1, 1}, "image", "no alternative text")
	l.AddHint(Pos{"a.md", 10, 2}, "lookup", "did you mean \"x\"?\nor not", "no example %q", "y")
	l.Add(Pos{"a.md", 9, 2}, "steps", "there is no step 3")
	l.Add(Pos{"a.md", 9, 2}, "steps", "there is no step 3")
	l.Add(Pos{File: "a.md"}, "file", "cannot be read")
	l.Sort()
	var b strings.Builder
	l.Print(&b)
	want := `a.md: cannot be read [file]
a.md:9:2: there is no step 3 [steps]
a.md:10:2: no example "y" [lookup]
    did you mean "x"?
    or not
b.md:1:1: warning: no alternative text [image]
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	if problems, warnings := l.Count(); problems != 3 || warnings != 1 {
		t.Errorf("counted %d problems and %d warnings", problems, warnings)
	}
}
