package load_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"verbatim/internal/load"
)

// TestDates reads every date that a page shows as the day on which an author did
// something: it cannot be one that has not come yet.
func TestDates(t *testing.T) {
	in := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	for date, want := range map[string]string{
		"2026-11-29": "", in(0): "", in(1): "",
		in(3): "has not come yet", "2999-01-01": "has not come yet", "9999-12-31": "has not come yet",
		"29.11.2026": "is not a date", "2026-02-30": "is not a date",
	} {
		for _, key := range []string{"checked", "saved"} {
			files := fstest.MapFS{
				"content/a.md":         {Data: []byte("---\ntitle: A\nchecked: 2026-11-29\n---\n")},
				"quotes/s/source.yaml": {Data: []byte("url: https://a.example/\nsaved: 2026-11-29\n")},
			}
			for _, f := range files {
				f.Data = []byte(strings.Replace(string(f.Data), key+": 2026-11-29", key+": "+date, 1))
			}
			book, ps, err := load.Read(files, load.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range book.Lessons {
				ps = append(ps, l.Problems...)
			}
			found := ""
			for _, p := range ps {
				found += p.Text
			}
			if want == "" && found != "" || !strings.Contains(found, want) {
				t.Errorf("%s: %s: problems %q, want %q", key, date, found, want)
			}
		}
	}
}
