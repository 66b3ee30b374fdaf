package check

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
			ps.AddHint(f.Pos, "lookup", cmp.Or(problem.DidYouMean(f.Of, s.nameable(l)), "make examples/"+f.Of+"/main.go, or name another"),
				"no example %q", f.Of)
			continue
		}
		r := s.Records[id]
		if r == nil {
			continue // why it has none is a problem of its own
		}
		if _, err := record.Pick(record.Lines(r.Output), f); err != nil {
			ps.Add(f.Pos, "lookup", "%v of example %q", err, f.Of)
		}
	}
}

// nameable are the examples that a lesson can name: those of the site and its
// own transcripts.
func (s *Site) nameable(l *lesson.Lesson) []string {
	names := slices.Clone(s.ids)
	for _, t := range l.Body.Transcripts {
		names = append(names, t.ID)
	}
	return names
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
}

// value gives a recorded value, or complains that there is none.
func (s *Site) value(pos problem.Pos, example, name string, ps *problem.List) (string, bool) {
	if !s.has(example) {
		ps.AddHint(pos, "value", problem.DidYouMean(example, s.ids), "no example %q", example)
		return "", false
	}
	r := s.Records[example]
	if r == nil {
		return "", false // why it has none is a problem of its own
	}
	value, ok := r.Values[name]
	if !ok {
		known := slices.Sorted(maps.Keys(r.Values))
		ps.AddHint(pos, "value", cmp.Or(problem.DidYouMean(name, known), "it records: "+cmp.Or(strings.Join(known, ", "), "nothing")),
			"example %q records no value %q", example, name)
	}
	return value, ok
}

// charts: the table that a chart draws was recorded.
func charts(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, c := range l.Body.Charts {
		if !s.has(c.Example) {
			ps.AddHint(c.Pos, "chart", problem.DidYouMean(c.Example, s.ids), "no example %q", c.Example)
			continue
		}
		r := s.Records[c.Example]
		if r == nil {
			continue
		}
		table, ok := r.Tables[c.Table]
		if ok {
			rows, _ := record.ParseTable(c.Table, table) // it was read as a table before
			_, more := chart.Read(c, s.examples[c.Example].Record+"/"+c.Table, rows)
			*ps = append(*ps, more...)
		} else {
			known := slices.Sorted(maps.Keys(r.Tables))
			ps.AddHint(c.Pos, "chart", cmp.Or(problem.DidYouMean(c.Table, known), "it records: "+cmp.Or(strings.Join(known, ", "), "nothing")),
				"example %q records no table %q", c.Example, c.Table)
		}
	}
}

// diagrams: what a sequence diagram says can be drawn.
func diagrams(_ *Site, l *lesson.Lesson, ps *problem.List) {
	for _, m := range l.Body.Mermaids {
		_, more := sequence.Read(m)
		*ps = append(*ps, more...)
	}
}

// answers: the keyed option of a question with check= begins with the value
// that its example computed, and no other option does.
func answers(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, c := range l.Body.Containers {
		check, ok := c.Attr["check"]
		if !ok {
			continue
		}
		example, name, found := strings.Cut(check, "#")
		if !found || name == "" {
			ps.AddHint(c.Pos, "answer", "write it as check=\"example#value\"", "check=%q names no value", check)
			continue
		}
		value, ok := s.value(c.Pos, example, name, ps)
		if !ok {
			continue
		}
		if len(c.Options) == 0 {
			if !beginsWith(c.Answer, value) {
				ps.AddHint(c.Pos, "answer", "the run says: "+value, "the answer does not begin with what %s computed", check)
			}
			continue
		}
		for _, o := range c.Options {
			switch is := beginsWith(o.Text, value); {
			case o.Letter == c.Key && !is:
				ps.AddHint(o.Pos, "answer", "the run says: "+value, "the keyed option %s does not begin with what %s computed", o.Letter, check)
			case o.Letter != c.Key && is:
				ps.AddHint(o.Pos, "answer", fmt.Sprintf("the run says: %s; the key is %s", value, c.Key),
					"option %s begins with what %s computed, too", o.Letter, check)
			}
		}
	}
}

// What may not follow a value that an answer begins with: then the answer has
// another word, or another number.
var (
	wordGoesOn   = regexp.MustCompile(`^[\p{L}\p{N}]`)
	numberGoesOn = regexp.MustCompile(`^(?:[\p{L}\p{N}]|[.,'’_]\p{Nd}|\p{Zs}\p{N}|\p{Zs}?[%‰]|\p{Zs}?[×·*/^:–−-]\p{Zs}?\p{Nd}|` +
		`\p{Zs}(?:dozen|hundred|thousand|million|billion|trillion|percent|per cent)\b)`)
)

// beginsWith tells whether text begins with value and does not go on with it:
// "4, because …" begins with "4"; "40", "4.5", "4 000", "4/5" and "4 %" do not.
func beginsWith(text, value string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), value)
	if !ok || value == "" {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(value); unicode.IsDigit(last) {
		return !numberGoesOn.MatchString(rest)
	}
	return !wordGoesOn.MatchString(rest)
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
		for _, name := range slices.Sorted(maps.Keys(e.Tolerance)) {
			if !slices.Contains(known, name) {
				ps.AddHint(problem.Pos{File: e.Dir + "/example.yaml"}, "tolerance", problem.DidYouMean(name, known),
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
		if !used[e.ID] && len(e.Commands) == 0 {
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
	for _, e := range s.Examples {
		if strings.HasPrefix(file, e.ID+"/") {
			used[e.ID] = true
		}
	}
}
