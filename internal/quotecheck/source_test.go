package quotecheck

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestSetKey edits each file of testdata/source.txtar: NAME.yaml, with the
// first line's key and value, is to become NAME.want.
func TestSetKey(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/source.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	cases := 0
	for name, text := range files {
		base, isCase := strings.CutSuffix(name, ".yaml")
		if !isCase {
			continue
		}
		cases++
		set, src, _ := strings.Cut(text, "\n")
		key, value, _ := strings.Cut(strings.TrimPrefix(set, "# set "), " ")
		got, err := setKey([]byte(src), key, value)
		if want := files[base+".want"]; err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s", filepath.Base(name), err, got, want)
		}
	}
	if cases == 0 {
		t.Fatal("testdata/source.txtar has no case")
	}
}
