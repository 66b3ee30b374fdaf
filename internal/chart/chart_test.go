package chart_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/chart"
	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

const table = "examples/a/recorded/t.csv"

// TestCases draws t.csv of every archive as each line of the file asks says.
func TestCases(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		if len(a.Files) < 2 || a.Files[0].Name != "t.csv" || a.Files[1].Name != "asks" {
			t.Fatal("the first files are not t.csv and asks")
		}
		rows := read(t, a.Files[0].Data)
		asks := strings.Split(strings.TrimSpace(string(a.Files[1].Data)), "\n")
		a.Files = a.Files[:2]
		for i, ask := range asks {
			spec := lesson.Chart{Pos: problem.Pos{File: "in.md", Line: i + 1, Col: 1}, Kind: "line"}
			if err := json.Unmarshal([]byte(ask), &spec); err != nil {
				t.Fatalf("%s: %v", ask, err)
			}
			a.Files = append(a.Files, txtar.File{Name: fmt.Sprintf("want %d", i+1), Data: draw(t, spec, rows)})
		}
		return a
	})
}

func read(t *testing.T, data []byte) [][]string {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// draw returns the picture and its table, or the problems.
func draw(t *testing.T, spec lesson.Chart, rows [][]string) []byte {
	t.Helper()
	c, problems := chart.Read(spec, table, rows)
	var out bytes.Buffer
	problems.Print(&out)
	if c == nil {
		return out.Bytes()
	}
	svg := c.SVG("v-1")
	if err := wellFormed(svg); err != nil {
		t.Errorf("%v in\n%s", err, svg)
	}
	out.Write(svg)
	head, lines := c.Table()
	for _, line := range append([][]string{head}, lines...) {
		fmt.Fprintln(&out, strings.Join(line, " | "))
	}
	return out.Bytes()
}

// wellFormed reports whether svg is XML without style, handlers and elements that
// no picture needs.
func wellFormed(svg []byte) error {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.Contains(" svg title desc path text ", " "+start.Name.Local+" ") {
			return fmt.Errorf("an element %s", start.Name.Local)
		}
		for _, a := range start.Attr {
			if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				return fmt.Errorf("%s has %s=%q", start.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	spec := lesson.Chart{X: "x", Y: "y", Kind: "line"}
	rows := [][]string{{"x", "y"}}
	for i := range 10_000 {
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprint(i % 7)})
	}
	if c, problems := chart.Read(spec, table, rows); c == nil {
		t.Errorf("10,000 rows: %v", problems)
	}
	if c, problems := chart.Read(spec, table, append(rows, []string{"1", "2"})); c != nil || len(problems) != 1 {
		t.Errorf("10,001 rows: %v", problems)
	}
}

// FuzzRead: whatever is in a table, the picture is a picture, the same twice.
func FuzzRead(f *testing.F) {
	f.Add("x,y,s\n1,2,a\n2,3,b\n", "line")
	f.Add("x,y,s\n<a>,-1e3,\"&\n\"\nb,0.001,\n", "bar")
	f.Add("x,y,s\n1,NaN,\n1e15,1e-15,\n", "step")
	f.Add("x,y,s\n-0,0,\n", "step")
	f.Fuzz(func(t *testing.T, data, kind string) {
		rows, err := csv.NewReader(strings.NewReader(data)).ReadAll()
		if err != nil || len(data) > 10_000 {
			return
		}
		c, problems := chart.Read(lesson.Chart{X: "x", Y: "y", Series: "s", Kind: kind}, table, rows)
		if (c == nil) == (len(problems) == 0) {
			t.Fatalf("a chart %v and problems %v", c, problems)
		}
		if c == nil {
			return
		}
		svg := c.SVG("v-1")
		if err := wellFormed(svg); err != nil {
			t.Errorf("%v in\n%s", err, svg)
		}
		if len(svg) > 1<<20 || !bytes.Equal(svg, c.SVG("v-1")) {
			t.Errorf("%d bytes, or not the same twice", len(svg))
		}
	})
}
