package check_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/check"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

var update = flag.Bool("update", false, "rewrite the want files of testdata")

// testdata/*.txtar are sites that load without a problem; the file "want" is
// what the checks say of them.
func TestRun(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fsys := fstest.MapFS{}
			want := &archive.Files[len(archive.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last file is not want")
			}
			for _, f := range archive.Files[:len(archive.Files)-1] {
				fsys[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			var b strings.Builder
			ps := run(t, fsys)
			ps.Sort()
			ps.Print(&b)
			if b.String() == string(want.Data) {
				return
			}
			if *update {
				want.Data = []byte(b.String())
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("got:\n%s\nwant:\n%s", b.String(), want.Data)
		})
	}
}

func run(t *testing.T, fsys fstest.MapFS) problem.List {
	t.Helper()
	book, ps, err := load.Site(fsys)
	if err != nil || len(ps) > 0 {
		t.Fatal(err, ps)
	}
	s := &check.Site{Course: book.Course, Examples: book.Examples, Files: book.Files, Records: map[string]*record.Record{}}
	if book.Home != nil {
		s.Home = &book.Home.Lesson
	}
	for _, l := range book.Lessons {
		s.Lessons = append(s.Lessons, &l.Lesson)
	}
	for _, e := range book.Examples {
		if r, _ := record.Read(fsys, e.Dir+"/recorded"); r != nil {
			s.Records[e.ID] = r
		}
	}
	return check.Run(s)
}
