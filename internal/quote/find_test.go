package quote

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// row is a line of testdata/*.jsonl.
type row struct {
	ID      string  `json:"id"`
	File    string  `json:"file"` // tells the page's kind
	Page    string  `json:"page"`
	PageB64 []byte  `json:"page_b64"` // instead of page, for bytes that are not UTF-8
	Quote   string  `json:"quote"`
	Want    Verdict `json:"want"`
	Fold    Fold    `json:"fold"` // "" for any
	Note    string  `json:"note"` // stands in one of the notes
	Why     string  `json:"why"`

	Reservations []Reservation `json:"reservations"` // null for any
}

func strip(md []byte) []byte {
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(md, &out); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func rows(t testing.TB, file string) []row {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v: %s", file, err, lines.Bytes())
		}
		if r.PageB64 == nil {
			r.PageB64 = []byte(r.Page)
		}
		all = append(all, r)
	}
	return all
}

// verdictRows are the tables of verdicts.
var verdictRows = []string{"testdata/quotes.jsonl", "testdata/more.jsonl", "testdata/edited.jsonl"}

// TestVerdicts matches every row of the tables.
func TestVerdicts(t *testing.T) {
	for _, file := range verdictRows {
		for _, r := range rows(t, file) {
			t.Run(r.ID, func(t *testing.T) {
				page, err := ReadPage(r.File, bytes.NewReader(r.PageB64), strip)
				if err != nil {
					t.Fatal(err)
				}
				got := page.Find(r.Quote)
				if got.Verdict != r.Want || r.Fold != "" && got.Fold != r.Fold {
					t.Errorf("%s\npage  %q\nquote %q\ngot  %s %s %q\nwant %s %s", r.Why, page.Text(), r.Quote, got.Verdict, got.Fold, got.Notes, r.Want, r.Fold)
				}
				if r.Reservations != nil && !slices.Equal(got.Reservations, r.Reservations) {
					t.Errorf("%s\nreservations %q\nwant %q", r.Why, got.Reservations, r.Reservations)
				}
				if !strings.Contains(strings.Join(got.Notes, "; "), r.Note) {
					t.Errorf("%s\nnotes %q\nwant %q among them", r.Why, got.Notes, r.Note)
				}
			})
		}
	}
}
