package site

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/record"
	"verbatim/internal/snippet"
)

// fences brings the fences that show recorded lines or an example's code in
// step with those, or in a check says which are not.
func (b *build) fences() {
	for _, l := range b.book.All() {
		b.fencesOf(l)
	}
}

func (b *build) fencesOf(l *load.Lesson) {
	if len(l.Body.Fences) == 0 {
		return
	}
	lines := b.linesFor(l)
	if b.swallowing(l, lines) {
		return
	}
	if b.Check {
		b.compareFences(l, lines)
		return
	}
	edited, changed := record.Fill(l.Source, l.Body.Fences, lines)
	if changed > 0 {
		b.edits[l.File] = edit{l.Source, edited}
		b.report.Changed = append(b.report.Changed, fmt.Sprintf("%s: %s", l.File, cli.Count(changed, "fence")))
	}
}

// otherBlock matches a line that begins a fence with a language, or a container:
// text that follows a fence whose closing line is missing.
var otherBlock = regexp.MustCompile("^ {0,3}(`{3,} *[^` ]|~{3,} *[^~ ]|:{3,} *[a-z])")

// swallowing reports whether a fence of a lesson holds the text that follows it,
// because its closing line is missing, and adds the problem. Filling such a fence
// would delete that text.
func (b *build) swallowing(l *load.Lesson, lines func(lesson.Fence) ([]string, bool)) (found bool) {
	for _, f := range l.Body.Fences {
		want, ok := lines(f)
		if !ok {
			continue
		}
		for i, line := range record.Lines(f.Body) {
			if !otherBlock.MatchString(line) || slices.Contains(want, line) {
				continue
			}
			b.report.Problems.AddHint(f.Pos, "fence", fmt.Sprintf("write a line of %s where the fence ends", f.Marker),
				"this fence holds the beginning of another block, at line %d, so its closing line is missing", f.Pos.Line+1+i)
			found = true
			break
		}
	}
	return found
}

// linesFor returns what each fence of a lesson shows. False where that is not
// known: another problem says why.
func (b *build) linesFor(l *load.Lesson) func(lesson.Fence) ([]string, bool) {
	return func(f lesson.Fence) ([]string, bool) {
		if f.From != "" {
			lines, ps := snippet.Read(b.fsys, f)
			if len(ps) == 0 && !b.isInput(load.Examples+"/"+f.From) {
				ps.AddHint(f.Pos, "from", "quote a file that an example compiles or reads, or write the lines as ordinary code",
					"%s/%s is no input of any example, so nothing proves its lines", load.Examples, f.From)
			}
			b.report.Problems = append(b.report.Problems, ps...)
			return lines, len(ps) == 0
		}
		r := b.records[l.ExampleOf(f.Of)]
		if r == nil {
			return nil, false
		}
		lines, err := record.Pick(record.Lines(r.Output), b.masksOf(l.ExampleOf(f.Of)), f)
		return lines, err == nil
	}
}

// masksOf returns the masks of an example.
func (b *build) masksOf(id string) []lesson.Mask {
	if b.maskedIn != b.book {
		b.maskedIn, b.maskedBy = b.book, map[string][]lesson.Mask{}
		for _, e := range b.book.Examples {
			b.maskedBy[e.ID] = e.Masks
		}
	}
	return b.maskedBy[id]
}

// isInput reports whether some run had a file. While an example has no record,
// its files are not known, and any file may be one of them.
func (b *build) isInput(file string) bool {
	if b.inputsOfAll == nil {
		b.inputsOfAll = map[string]bool{}
		for _, r := range b.records {
			for name := range r.Inputs {
				b.inputsOfAll[name] = true
			}
		}
	}
	return b.inputsOfAll[file] || len(b.records) < len(b.book.Examples)
}

func (b *build) compareFences(l *load.Lesson, lines func(lesson.Fence) ([]string, bool)) {
	for _, f := range l.Body.Fences {
		want, ok := lines(f)
		have := record.Lines(f.Body)
		if !ok || slices.Equal(want, have) {
			continue
		}
		at := f.Pos
		for i, line := range have {
			if i >= len(want) || line != want[i] {
				at.Line, at.Col = f.Pos.Line+1+i, 1
				break
			}
		}
		what, source := fmt.Sprintf("what example %q printed", f.Of), "recorded"
		if f.From != "" {
			what, source = "the code of examples/"+f.From, "the file"
		}
		hint := strings.NewReplacer("recorded ", source+" ", "printed  ", fmt.Sprintf("%-*s ", len(source), "fence")).Replace(record.Diff(want, have))
		b.report.Problems.AddHint(at, "output", hint+"\nrun build to bring it in step", "the fence is not %s", what)
	}
}
