package check

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"slices"

	"verbatim/internal/chart"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/sequence"
)

// outputs: every output fence names an example, and lines that it has.
func outputs(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, f := range l.Body.Fences {
		if f.From != "" {
			continue // the code is cut, and complained about, where it is read
		}
		id := l.ExampleOf(f.Of)
		if !s.has(id) {
			ps.AddHint(f.Pos, "lookup", cmp.Or(s.nameable(l).DidYouMean(f.Of), "make examples/"+f.Of+"/main.go, or name another"),
				"no example %q", f.Of)
			continue
		}
		r := s.Records[id]
		if r == nil {
			continue // why it has none is a problem of its own
		}
		if _, err := record.Pick(s.linesOf(r), s.examples[id].Masks, f); err != nil {
			hint := ""
			if wrong, ok := errors.AsType[*lesson.LinesError](err); ok {
				hint = wrong.Hint
			}
			ps.AddHint(f.Pos, "lookup", hint, "%v of example %q", err, f.Of)
		}
	}
}

// values: {{example.name}} in prose is a value that was recorded. Without any
// example in the site, it is text.
func values(s *Site, l *lesson.Lesson, ps *problem.List) {
	if len(s.Examples) == 0 {
		return
	}
	for _, v := range l.Body.Values {
		s.value(v.Pos, v.Example, v.Name, ps)
	}
	for _, v := range l.Body.Spaced {
		r := s.Records[v.Example]
		if r == nil {
			continue // braces of another template language
		}
		if _, known := r.Values[v.Name]; known {
			ps.Warn(v.Pos, "value", "these braces are shown as they are written: the value is {{%s.%s}}, without blanks", v.Example, v.Name)
		}
	}
}

// value returns a recorded value. It adds a problem if there is none.
func (s *Site) value(pos problem.Pos, example, name string, ps *problem.List) (string, bool) {
	if !s.has(example) {
		ps.AddHint(pos, "value", s.exampleNames().DidYouMean(example), "no example %q", example)
		return "", false
	}
	r := s.Records[example]
	if r == nil {
		return "", false // why it has none is a problem of its own
	}
	value, ok := r.Values[name]
	if !ok {
		ps.AddHint(pos, "value", s.valuesOf(r).hint(name),
			"example %q records no value %q", example, name)
	}
	return value, ok
}

// charts: the table that a chart draws was recorded.
func charts(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, c := range l.Body.Charts {
		if !s.has(c.Example) {
			ps.AddHint(c.Pos, "chart", s.exampleNames().DidYouMean(c.Example), "no example %q", c.Example)
			continue
		}
		r := s.Records[c.Example]
		if r == nil {
			continue
		}
		table, ok := r.Tables[c.Table]
		if ok {
			rows, _ := record.ParseTable(c.Table, table) // it was read as a table before
			_, more := chart.Read(c, s.examples[c.Example].RecordDir+"/"+c.Table, rows)
			*ps = append(*ps, more...)
			s.exactColumns(c, ps)
		} else {
			ps.AddHint(c.Pos, "chart", s.tablesOf(r).hint(c.Table),
				"example %q records no table %q", c.Example, c.Table)
		}
	}
}

// exactColumns reports a tolerance of a column that a chart uses for x or for series,
// because the chart shows tolerances of y only.
func (s *Site) exactColumns(c lesson.Chart, ps *problem.List) {
	for _, column := range []string{c.X, c.Series} {
		if column == c.Y || s.examples[c.Example].Tolerance[c.Table+":"+column] == 0 {
			continue
		}
		ps.AddHint(c.Pos, "chart", "take the tolerance out of "+s.examples[c.Example].Dir+"/example.yaml, or draw the column as y=",
			"column %q of %s has a tolerance, and a chart shows one only for y", column, c.Table)
	}
}

// diagrams checks that sequence diagrams can be drawn.
func diagrams(_ *Site, l *lesson.Lesson, ps *problem.List) {
	for _, m := range l.Body.Mermaids {
		_, more := sequence.Read(m)
		*ps = append(*ps, more...)
	}
}

// tolerances: what has a tolerance was recorded.
func tolerances(s *Site, ps *problem.List) {
	for _, e := range s.Examples {
		r := s.Records[e.ID]
		if r == nil {
			continue
		}
		known := slices.Sorted(maps.Keys(r.Values))
		for name, table := range r.Tables {
			rows, err := record.ParseTable(name, table)
			if err != nil {
				continue
			}
			for _, column := range rows[0] {
				known = append(known, name+":"+column)
			}
		}
		slices.Sort(known)
		names := problem.NewNames(known)
		for _, name := range slices.Sorted(maps.Keys(e.Tolerance)) {
			if _, ok := slices.BinarySearch(known, name); !ok {
				ps.AddHint(problem.Pos{File: e.Dir + "/example.yaml"}, "tolerance", names.DidYouMean(name),
					"example %q records nothing called %q", e.ID, name)
			}
		}
	}
}

// unused: an example that no lesson shows proves nothing to anybody.
func unused(s *Site, ps *problem.List) {
	used := map[string]bool{}
	for _, l := range s.all() {
		for _, e := range l.Body.Evidence {
			used[l.ExampleOf(e.Example)] = true // a transcript of its own may have the name of an example
			s.quoted(e.File, used)
		}
	}
	for _, e := range s.Examples {
		if !used[e.ID] && !e.IsTranscript() {
			ps.AddHint(problem.Pos{File: e.Dir}, "unused",
				"show it with ```output {of="+e.ID+"}, or delete its folder", "no lesson uses example %q", e.ID)
		}
	}
}

// quoted marks the example that a quoted file belongs to.
func (s *Site) quoted(file string, used map[string]bool) {
	if file == "" {
		return
	}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		used[dir] = true // it need not be one
	}
}
