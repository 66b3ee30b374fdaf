// Package chart draws a recorded table as SVG: the same bytes for the same table on
// every machine, readable without colours, and with the table in words. A table that
// cannot be drawn is a problem at its line.
package chart

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// Bounds of what can be read.
const (
	maxRows   = 10_000
	maxSeries = 6 // there are as many dash patterns
	maxBars   = 60
	maxWrong  = 10   // a wrong column is wrong in every row
	maxDigits = 1e15 // beyond it neighbouring whole numbers are one float64
)

// Chart is a table that can be drawn.
type Chart struct {
	Title string
	Head  []string // the names of the columns that are drawn: x, y, and series where there is one

	rows       [][]string // the cells under Head, as recorded
	kind       string
	series     []series
	categories []string // bar: the values of x, as they first come
}

// series is one line of a chart, or the bars of one kind.
type series struct {
	name   string
	points []point
}

// point is one row. Of a bar chart, x is the index of its category.
type point struct {
	x, y         float64
	xText, yText string
}

// columns are the indices of what is drawn; series is -1 when there is one.
type columns struct{ x, y, series int }

// Read makes a chart of a table, whose first row names its columns. file is
// where the table lies; problems in it have its lines. Where there are problems
// there is no chart.
func Read(spec lesson.Chart, file string, table [][]string) (*Chart, problem.List) {
	cols, ps := find(spec, file, table)
	if len(ps) > 0 {
		return nil, ps
	}
	c := &Chart{Title: spec.Title, kind: spec.Kind, Head: []string{spec.X, spec.Y}}
	if spec.Series != "" {
		c.Head = append(c.Head, spec.Series)
	}
	if c.Title == "" {
		c.Title = spec.Y + " by " + spec.X
	}
	for i, row := range table[1:] {
		if wrong, hint := c.add(cols, row); wrong != "" {
			ps.AddHint(problem.Pos{File: file, Line: i + 2, Col: 1}, "chart", hint, "%s", wrong)
		}
		if len(ps) == maxWrong {
			break
		}
	}
	if bars := len(c.rows); c.kind == "bar" && bars > maxBars {
		ps.Add(spec.Pos, "chart", "%d bars: nobody reads more than %d", bars, maxBars)
	}
	if n := len(c.series); n > maxSeries {
		ps.Add(spec.Pos, "chart", "%d values of %q: more than %d series cannot be told apart", n, spec.Series, maxSeries)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	for i := range c.series {
		slices.SortStableFunc(c.series[i].points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	}
	return c, nil
}

// find looks the columns up.
func find(spec lesson.Chart, file string, table [][]string) (cols columns, ps problem.List) {
	switch {
	case len(table) < 2:
		ps.Add(spec.Pos, "chart", "%s has no rows to draw", file)
		return cols, ps
	case len(table)-1 > maxRows:
		ps.Add(spec.Pos, "chart", "%s has more than %d rows", file, maxRows)
		return cols, ps
	}
	column := func(name string) int {
		at := slices.Index(table[0], name)
		if at < 0 {
			hint := problem.DidYouMean(name, table[0])
			if hint == "" {
				hint = "there are " + strings.Join(table[0], ", ")
			}
			ps.AddHint(spec.Pos, "chart", hint, "no column %q in %s", name, file)
		}
		return at
	}
	cols = columns{column(spec.X), column(spec.Y), -1}
	if spec.Series != "" {
		cols.series = column(spec.Series)
	}
	return cols, ps
}

// add takes one row, or says what is wrong with it.
func (c *Chart) add(cols columns, row []string) (wrong, hint string) {
	if len(row) <= max(cols.x, cols.y, cols.series) {
		return fmt.Sprintf("a row of %d cells", len(row)), ""
	}
	p := point{xText: row[cols.x], yText: row[cols.y]}
	cells := []string{p.xText, p.yText}
	name := ""
	if cols.series >= 0 {
		name = row[cols.series]
		cells = append(cells, name)
	}
	if p.y, wrong = number(p.yText); wrong != "" {
		return wrong, ""
	}
	if c.kind == "bar" {
		p.x = float64(c.category(p.xText))
	} else if p.x, wrong = number(p.xText); wrong != "" {
		return wrong, "kind=bar draws names"
	}
	s := c.named(name)
	if c.kind == "bar" && slices.ContainsFunc(s.points, func(q point) bool { return q.x == p.x }) {
		return fmt.Sprintf("a second bar for %q", strings.TrimSpace(p.xText+" "+name)), "series= tells bars of one name apart"
	}
	s.points = append(s.points, p)
	c.rows = append(c.rows, cells)
	return "", ""
}

func (c *Chart) category(name string) int {
	at := slices.Index(c.categories, name)
	if at < 0 {
		at = len(c.categories)
		c.categories = append(c.categories, name)
	}
	return at
}

func (c *Chart) named(name string) *series {
	at := slices.IndexFunc(c.series, func(s series) bool { return s.name == name })
	if at < 0 {
		at = len(c.series)
		c.series = append(c.series, series{name: name})
	}
	return &c.series[at]
}

// decimal is what a number looks like here: no NaN, no infinity, no hexadecimal,
// no separators.
var decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)

func number(s string) (n float64, wrong string) {
	if !decimal.MatchString(s) {
		return 0, fmt.Sprintf("%q is not a number", s)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(n) > maxDigits {
		return 0, fmt.Sprintf("%s is too large to draw", s)
	}
	if n != 0 && math.Abs(n) < 1/maxDigits {
		return 0, fmt.Sprintf("%s is too small to draw", s)
	}
	return n, ""
}

// Words says what the picture shows: each bar, or where each line begins and
// ends and between which values it stays.
func (c *Chart) Words() string {
	var all []string
	for _, s := range c.series {
		words := s.course()
		if c.kind == "bar" {
			words = s.values()
		}
		if s.name != "" {
			words = s.name + ": " + words
		}
		all = append(all, words+".")
	}
	return strings.Join(all, " ")
}

func (s series) values() string {
	words := make([]string, len(s.points))
	for i, p := range s.points {
		words[i] = p.xText + " " + p.yText
	}
	return strings.Join(words, ", ")
}

func (s series) course() string {
	byY := func(p, q point) int { return cmp.Compare(p.y, q.y) }
	first, last := s.points[0], s.points[len(s.points)-1]
	least, most := slices.MinFunc(s.points, byY), slices.MaxFunc(s.points, byY)
	return fmt.Sprintf("from %s at %s to %s at %s; lowest %s, highest %s",
		first.yText, first.xText, last.yText, last.xText, least.yText, most.yText)
}
