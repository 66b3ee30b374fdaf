// Package snippet cuts the lines out of an example's file that a lesson quotes: a
// function, a marked region or numbered lines. It removes the indentation that all
// lines share, and the lines that mark regions.
package snippet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// maxSize is the size in bytes of the largest file that is quoted from.
const maxSize = 1 << 20

// Read returns the lines that a fence with from= shows. fsys is the site's root.
// What is wrong with the fence is a problem at the fence, what is wrong with
// the file one in the file; where there are problems there are no lines.
func Read(fsys fs.FS, f lesson.Fence) ([]string, problem.List) {
	var ps problem.List
	file := path.Join("examples", f.From)
	src, err := fs.ReadFile(fsys, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint := cmp.Or(nearest(fsys, file), nearest(fsys, path.Dir(file)))
		ps.AddHint(f.Pos, "from", hint, "no file %s", file)
		return nil, ps
	case err != nil:
		ps.Add(f.Pos, "from", "%s cannot be read: %v", file, cause(err))
		return nil, ps
	}
	return Cut(file, src, f)
}

// nearest is "did you mean" with what lies where file should be.
func nearest(fsys fs.FS, file string) string {
	var names []string
	entries, _ := fs.ReadDir(fsys, path.Dir(file)) // no folder, no name
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return problem.DidYouMean(path.Base(file), names)
}

// cause is what the system said, without the path that the problem names.
func cause(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// Cut is Read for a file whose bytes are at hand.
func Cut(file string, src []byte, f lesson.Fence) ([]string, problem.List) {
	var ps problem.List
	if len(src) > maxSize || !utf8.Valid(src) || slices.Contains(src, 0) {
		ps.Add(f.Pos, "from", "%s is not a text of at most %d bytes", file, maxSize)
		return nil, ps
	}
	lines := split(string(src))
	switch {
	case f.Region != "":
		lines, ps = region(file, lines, f)
	case f.Func != "":
		lines, ps = function(file, src, lines, f)
		lines = unmarked(file, lines)
	case f.Lines != "":
		lines, ps = numbered(file, lines, f)
	default:
		lines = unmarked(file, lines)
	}
	if !strings.Contains(f.Lines, ",") { // what is left out between lines is counted from the first
		lines = trim(lines)
	}
	if len(lines) == 0 && len(ps) == 0 {
		ps.Add(f.Pos, "from", "there is nothing to quote in %s", cmp.Or(f.Region, file))
	}
	if len(ps) == 0 {
		ps = directions(file, src, lines)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return dedent(lines), nil
}

// directions complains about a line that browsers would show in another order
// than a compiler reads it.
func directions(file string, src []byte, shown []string) (ps problem.List) {
	for _, line := range shown {
		at := strings.IndexFunc(line, problem.IsBidiControl)
		if at < 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(line[at:])
		ps.AddHint(problem.At(file, src, strings.Index(string(src), line)+at), "from", "delete it, or write it as an escape of the language",
			"%U makes browsers show other code than this", r)
		return ps
	}
	return nil
}

// split returns the lines of a file without their ends.
func split(src string) []string {
	src = strings.TrimPrefix(src, "\ufeff")
	lines := strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// numbered returns the lines that lines= names, such as "1-2,5".
func numbered(file string, lines []string, f lesson.Fence) (chosen []string, ps problem.List) {
	numbers, err := lesson.LineNumbers(f.Lines, len(lines))
	if wrong, ok := errors.AsType[*lesson.LinesError](err); ok {
		ps.AddHint(f.Pos, "from", wrong.Hint, "%s of %s", wrong.Text, file)
		return nil, ps
	}
	for _, n := range numbers {
		chosen = append(chosen, lines[n-1])
	}
	return chosen, nil
}

// trim takes empty lines off both ends.
func trim(lines []string) []string {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// dedent takes off the white space that begins every line with text.
func dedent(lines []string) []string {
	indent, any := "", false
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if text == "" {
			continue
		}
		own := line[:len(line)-len(text)]
		if !any {
			indent, any = own, true
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		if strings.TrimSpace(line) != "" { // no blanks on an empty line
			out[i] = strings.TrimPrefix(line, indent)
		}
	}
	return out
}

// place is a place in the example's file.
func place(file string, line int) problem.Pos { return problem.Pos{File: file, Line: line, Col: 1} }

// near is "did you mean", or else the names there are.
func near(word string, known []string) string {
	if hint := problem.DidYouMean(word, known); hint != "" || len(known) == 0 {
		return hint
	}
	return fmt.Sprintf("there are %s", strings.Join(known, ", "))
}
