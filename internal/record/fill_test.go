package record_test

import (
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/record"
)

func TestFill(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/fill.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		text := string(f.Data)
		if strings.Contains(f.Name, "crlf") && path.Ext(f.Name) != ".lines" {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		files[f.Name] = text
	}
	for name, src := range files {
		base, ok := strings.CutSuffix(name, ".md")
		if !ok {
			continue
		}
		t.Run(base, func(t *testing.T) {
			text, own := files[base+".lines"]
			if !own {
				text = files["x.lines"]
			}
			got := fill(t, name, src, record.Lines([]byte(text)))
			if want := files[base+".want"]; got != want {
				t.Errorf("got:\n%q\nwant:\n%q", got, want)
			}
			if again := fill(t, name, got, record.Lines([]byte(text))); again != got {
				t.Errorf("a second time changes it:\n%q", again)
			}
		})
	}
}

func fill(t *testing.T, name, src string, lines []string) string {
	t.Helper()
	doc, ps := markdown.Parse(name, []byte(src), 0)
	if problems, _ := ps.Count(); problems > 0 {
		t.Fatal(ps)
	}
	if len(doc.Body.Fences) == 0 {
		t.Fatal("no fence found")
	}
	out, changed := record.Fill([]byte(src), doc.Body.Fences, func(f lesson.Fence) ([]string, bool) {
		picked, err := record.Pick(lines, nil, f)
		return picked, err == nil
	})
	if (changed > 0) != (string(out) != src) {
		t.Errorf("%d fences changed, bytes differ: %t", changed, string(out) != src)
	}
	return string(out)
}
