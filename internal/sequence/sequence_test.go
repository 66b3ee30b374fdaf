package sequence_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/sequence"
)

// TestCases reads each *.mmd of the archives; what follows it are the problems,
// or the words and the picture.
func TestCases(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		got := &txtar.Archive{Comment: a.Comment}
		for _, f := range a.Files {
			if filepath.Ext(f.Name) != ".mmd" {
				continue
			}
			got.Files = append(got.Files, f, txtar.File{Name: f.Name + " gives", Data: draw(t, f.Data)})
		}
		if len(got.Files) == 0 {
			t.Fatal("no *.mmd")
		}
		return got
	})
}

func draw(t *testing.T, src []byte) []byte {
	t.Helper()
	d, problems := sequence.Read(fence(string(src)))
	var out bytes.Buffer
	problems.Print(&out)
	if d == nil {
		return out.Bytes()
	}
	picture := d.SVG("v-1")
	if err := wellFormed(picture); err != nil {
		t.Errorf("%v in\n%s", err, picture)
	}
	return append(out.Bytes(), picture...)
}

func fence(src string) lesson.Mermaid {
	m := lesson.Mermaid{Pos: problem.Pos{File: "in.md", Line: 1, Col: 1}}
	for i, line := range strings.Split(strings.TrimSuffix(src, "\n"), "\n") {
		m.Lines = append(m.Lines, lesson.Line{Pos: problem.Pos{File: "in.md", Line: i + 2, Col: 1}, Text: line})
	}
	return m
}

func wellFormed(picture []byte) error {
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Of a fence that no picture could hold only the length is told: reading it
// would take a time that grows with its square.
func TestTooManyLines(t *testing.T) {
	d, problems := sequence.Read(fence("sequenceDiagram\n" + strings.Repeat("A->>B: x\n", 1000)))
	if d != nil || len(problems) != 1 || problems[0].Text != "1001 lines: a diagram has at most 1000" {
		t.Errorf("got %v", problems)
	}
}

// FuzzRead: whatever a fence holds, there is a picture or a complaint.
func FuzzRead(f *testing.F) {
	for _, src := range []string{
		"sequenceDiagram\nparticipant A as Name\nA->>B: x\nB-->>A: y<br/>z\nNote over A,B: n\ndestroy B\nA-xB: w\n",
		"sequenceDiagram\nA->>A: self\n%% c\n", "graph TD\n", "", "sequenceDiagram\nA--xB\x00: <script>\n",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		d, problems := sequence.Read(fence(src))
		if (d == nil) == (len(problems) == 0) {
			t.Fatalf("a diagram %v and problems %v", d, problems)
		}
		if d == nil {
			return
		}
		picture := d.SVG("v-1")
		if err := wellFormed(picture); err != nil || d.Words() == "" {
			t.Errorf("%v in\n%s", err, picture)
		}
	})
}
