package check_test

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/check"
	"verbatim/internal/golden"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

// testdata/*.txtar are sites that load without a problem; the file "want" is
// what the checks say of them.
func TestRun(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		fsys := fstest.MapFS{}
		for _, f := range a.Files {
			if f.Name != "want" {
				fsys[f.Name] = &fstest.MapFile{Data: f.Data}
			}
		}
		var b bytes.Buffer
		ps := run(t, fsys)
		ps.Sort()
		ps.Print(&b)
		return golden.Set(t, a, "want", b.Bytes())
	})
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
