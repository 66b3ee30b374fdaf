package load

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/yamldoc"
)

// DefaultTimeout is how long an example may run that does not say otherwise.
const DefaultTimeout = 60 * time.Second

// exampleYAML is example.yaml.
type exampleYAML struct {
	Title   string            `yaml:"title"`
	Run     string            `yaml:"run"`
	Needs   string            `yaml:"needs"`
	Timeout string            `yaml:"timeout"`
	Exit    int               `yaml:"exit"`
	Env     map[string]string `yaml:"env"`

	Mask      []yamldoc.Item     `yaml:"mask"`
	Unordered bool               `yaml:"unordered"`
	Tolerance map[string]float64 `yaml:"tolerance"`
}

// loadExamples finds every runnable folder below examples/.
func loadExamples(b *Book, fsys fs.FS, ps *problem.List) error {
	err := fs.WalkDir(fsys, Examples, func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if oddName(d.Name()) {
			ps.AddHint(problem.Pos{File: strconv.Quote(dir)}, "file", "rename it", "a control character in its name")
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch name := d.Name(); {
		case d.IsDir() && (hidden(name) || slices.Contains(lesson.NoInputs, name)):
			return fs.SkipDir
		case !d.IsDir():
			if err := unreadable(fsys, dir); err != nil && !hidden(name) {
				b.Odd = true
				complain(ps, dir, err)
			}
		case strings.Contains(d.Name(), "#"):
			ps.AddHint(problem.Pos{File: dir}, "example", "rename the folder: "+strings.ReplaceAll(d.Name(), "#", "-"),
				"no example can have # in its name: lesson#transcript is that of a transcript")
			return fs.SkipDir
		case !holdsNone(dir):
			if e, ok := loadExample(fsys, dir, ps); ok {
				b.Examples = append(b.Examples, e)
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holdsNone reports whether dir is a folder of inputs, in which no example is
// looked for.
func holdsNone(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return name == "testdata" || strings.HasPrefix(name, "_")
	})
}

// loadExample reports whether dir is an example: package main, or an
// example.yaml that says how to run it.
func loadExample(fsys fs.FS, dir string, ps *problem.List) (lesson.Example, bool) {
	e := lesson.Example{
		ID: strings.TrimPrefix(dir, Examples+"/"), Dir: dir, RecordDir: dir + "/recorded",
		Needs: "redis", Timeout: DefaultTimeout,
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		ps.Add(problem.Pos{File: dir}, "example", "cannot be read: %v", cause(err))
		return e, false
	}
	if len(entries) == 1 && entries[0].Name() == "recorded" {
		ps.AddHint(problem.Pos{File: dir}, "example", "delete the folder, or bring its program back",
			"holds recorded lines and no program")
		return e, false
	}
	e.Go = isMain(fsys, dir, entries)
	file := path.Join(dir, "example.yaml")
	src, err := fs.ReadFile(fsys, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, e.Go
	case err != nil:
		ps.Add(problem.Pos{File: file}, "example", "cannot be read: %v", cause(err))
		return e, e.Go
	}
	var y exampleYAML
	places, problems := yamldoc.Decode(file, 0, src, &y, false)
	*ps = append(*ps, problems...)
	applyYAML(&e, y, places, ps)
	return e, e.Go || len(e.Run) > 0
}

// applyYAML takes what example.yaml says.
func applyYAML(e *lesson.Example, y exampleYAML, places map[string]problem.Pos, ps *problem.List) {
	e.Title, e.Exit, e.Env = y.Title, y.Exit, y.Env
	if y.Needs != "" {
		e.Needs = y.Needs
	}
	if known := []string{"redis", "redis-cluster", "none"}; !slices.Contains(known, e.Needs) {
		ps.AddHint(places["needs"], "example", "known: "+strings.Join(known, ", "), "needs: unknown service %q", e.Needs)
	}
	if y.Exit < 0 || y.Exit > 255 {
		ps.AddHint(places["exit"], "example", "write the exit code that the program ends with, from 0 to 255", "exit: %d is no exit code", y.Exit)
	}
	if y.Timeout != "" {
		d, err := time.ParseDuration(y.Timeout)
		if err != nil || d <= 0 {
			ps.AddHint(places["timeout"], "example", "write it as 90s or 2m", "timeout is not a duration: %q", y.Timeout)
		} else {
			e.Timeout = d
		}
	}
	applyRules(e, y, places, ps)
	if y.Run == "" {
		return
	}
	words, err := splitWords(y.Run)
	if err != nil {
		ps.Add(places["run"], "example", "run: %v", err)
		return
	}
	e.Run, e.Go = words, false
}

// The bounds of a tolerance, in percent. A smaller one allows no difference that a
// measurement has, and only puts "measured" beside an exact figure.
const (
	minTolerance = 0.01
	maxTolerance = 50.0
)

// applyRules takes what counts as the same evidence.
func applyRules(e *lesson.Example, y exampleYAML, places map[string]problem.Pos, ps *problem.List) {
	e.Unordered, e.Tolerance = y.Unordered, y.Tolerance
	for _, item := range y.Mask {
		pos := problem.Pos{File: places["mask"].File, Line: item.Line, Col: item.Col}
		m := lesson.Mask{Pos: pos, Name: item.Text, Pattern: cmp.Or(record.Typed[item.Text], item.Text)}
		re, err := regexp.Compile(m.Pattern)
		switch {
		case item.Text == "":
			ps.AddHint(pos, "example", "write time, id, port or a regular expression", "a mask is text")
		case err != nil:
			ps.AddHint(pos, "example", "write time, id, port or a regular expression", "mask %q is not a regular expression", item.Text)
		case re.MatchString(""):
			ps.Add(pos, "example", "mask %q matches the empty text, so it hides nothing and everything", item.Text)
		default:
			e.Masks = append(e.Masks, m)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(y.Tolerance)) {
		if percent := y.Tolerance[name]; !(percent >= minTolerance && percent <= maxTolerance) { // .nan is neither
			ps.AddHint(places["tolerance"], "example", fmt.Sprintf("write a percentage from %v to %v", minTolerance, maxTolerance),
				"tolerance of %s: %v", name, percent)
		}
	}
}

// isMain reads the package clause of the folder's Go files. The first that
// can be read decides: a broken one is the compiler's to report, and one that is
// built only by its name, such as a generator, is no part of the package.
func isMain(fsys fs.FS, dir string, entries []fs.DirEntry) bool {
	for _, entry := range entries {
		name := entry.Name()
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || hidden(name) {
			continue
		}
		src, err := fs.ReadFile(fsys, path.Join(dir, name))
		if err != nil {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && f.Name != nil && !ignored(f) {
			return f.Name.Name == "main"
		}
	}
	return false
}

// ignored reports whether a file is built only with the tag ignore, which is never set.
func ignored(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if err != nil || c.Pos() > f.Package {
				continue
			}
			with := expr.Eval(func(string) bool { return true })
			without := expr.Eval(func(tag string) bool { return tag != "ignore" })
			if with && !without {
				return true
			}
		}
	}
	return false
}

// splitWords splits a command as a POSIX shell does, with quotes and
// backslashes and nothing else: what a shell would expand stays as written.
func splitWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, r := range s {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("a quotation mark is not closed in %q", s)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
