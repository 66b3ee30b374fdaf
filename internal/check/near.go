package check

import (
	"maps"
	"slices"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

// near holds the names that hints choose from, and lines. Each is made when the first hint
// needs it, because a site may have as many wrong names as names.
type near struct {
	files, examples, lessons *problem.Names
	ids, transcripts         map[*lesson.Lesson]*problem.Names
	values, tables           map[*record.Record]*recorded
	lines                    map[*record.Record][]string // of the output
}

// recorded are the names of what a record holds.
type recorded struct {
	*problem.Names
	listed string // for a hint
}

// once returns *names, which it makes of what list returns if it is nil.
func once(names **problem.Names, list func() []string) *problem.Names {
	if *names == nil {
		*names = problem.NewNames(list())
	}
	return *names
}

// kept returns what a map has for a key; if it has nothing, what make returns.
func kept[K comparable, V any](all *map[K]V, key K, make func() V) V {
	v, ok := (*all)[key]
	if !ok {
		if *all == nil {
			*all = map[K]V{}
		}
		v = make()
		(*all)[key] = v
	}
	return v
}

func (s *Site) files() *problem.Names {
	return once(&s.near.files, func() []string { return s.known })
}

func (s *Site) exampleNames() *problem.Names {
	return once(&s.near.examples, func() []string { return s.ids })
}

func (s *Site) lessonNames() *problem.Names {
	return once(&s.near.lessons, func() (ids []string) {
		for _, l := range s.Lessons {
			ids = append(ids, l.ID)
		}
		return ids
	})
}

// idsOf returns the ids of a lesson's text.
func (s *Site) idsOf(l *lesson.Lesson) *problem.Names {
	return kept(&s.near.ids, l, func() *problem.Names { return problem.NewNames(slices.Sorted(maps.Keys(l.Body.IDs))) })
}

// nameable are the examples that a lesson can name: those of the site and its
// own transcripts.
func (s *Site) nameable(l *lesson.Lesson) *problem.Names {
	if len(l.Body.Transcripts) == 0 {
		return s.exampleNames()
	}
	return kept(&s.near.transcripts, l, func() *problem.Names {
		names := slices.Clone(s.ids)
		for _, t := range l.Body.Transcripts {
			names = append(names, t.ID)
		}
		return problem.NewNames(names)
	})
}

// linesOf returns the lines of a record's output.
func (s *Site) linesOf(r *record.Record) []string {
	return kept(&s.near.lines, r, func() []string { return record.Lines(r.Output) })
}

// valuesOf returns the names of the values of a record.
func (s *Site) valuesOf(r *record.Record) *recorded {
	return kept(&s.near.values, r, func() *recorded { return newRecorded(slices.Sorted(maps.Keys(r.Values))) })
}

// tablesOf returns the names of the tables of a record.
func (s *Site) tablesOf(r *record.Record) *recorded {
	return kept(&s.near.tables, r, func() *recorded { return newRecorded(slices.Sorted(maps.Keys(r.Tables))) })
}

func newRecorded(names []string) *recorded {
	if len(names) == 0 {
		return &recorded{problem.NewNames(nil), "it records: nothing"}
	}
	return &recorded{problem.NewNames(names), "it records: " + problem.Listed(names)}
}

// hint names the nearest to a name, or else what there is.
func (r *recorded) hint(name string) string {
	if near := r.DidYouMean(name); near != "" {
		return near
	}
	return r.listed
}
