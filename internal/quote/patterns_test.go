package quote

import (
	"bytes"
	"reflect"
	"testing"
)

// TestFindAll holds that looking for many quotations at once finds what
// looking for each of them does: on every page of the tables, with all
// quotations of the tables.
func TestFindAll(t *testing.T) {
	var all []row
	var quotations []string
	for _, file := range []string{"testdata/quotes.jsonl", "testdata/more.jsonl"} {
		all = append(all, rows(t, file)...)
	}
	for _, r := range all {
		quotations = append(quotations, r.Quote)
	}
	for _, r := range all {
		page, err := ReadPage(r.File, bytes.NewReader(r.PageB64), strip)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range page.FindAll(quotations) {
			if want := page.Find(quotations[i]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q\nall at once %+v\none by one  %+v", r.ID, quotations[i], got, want)
			}
		}
	}
}
