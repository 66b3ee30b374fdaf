// Package load reads the folders of a site in one pass: lessons, examples and sources.
// It reports every invalid file with its line, and reads nothing outside of the site.
package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
)

// The folders of a site. Only content/ is required.
const (
	Content  = "content"
	Examples = "examples"
	Quotes   = "quotes"
)

// HomeID is the id of content/index.md, the home page and the course.
const HomeID = "index"

// Book is everything an author wrote.
type Book struct {
	Lessons  []*Lesson // sorted by id, the home page left out
	Home     *Lesson   // content/index.md, or nil
	Course   []lesson.Entry
	Examples []lesson.Example // sorted by id
	Sources  []lesson.Source  // sorted by id
	Files    []string         // other files of content/, "content/a.png", sorted
	Odd      bool             // a file of examples/ cannot be read: what examples depend on cannot be told

	options Options
}

// Lesson is a lesson with the document that renders it.
type Lesson struct {
	lesson.Lesson
	Doc      *markdown.Doc // nil once Options.Parsed had it; Open parses the text again
	Problems problem.List  // found while reading it, as listed by SiteWith

	body    int // where the text begins in the file
	dropped bool
	options markdown.Options
}

// Open returns the lesson's document, parsed again if need be. It is an error
// to open a lesson after Drop.
func (l *Lesson) Open() (*markdown.Doc, error) {
	if l.Doc != nil {
		return l.Doc, nil
	}
	if l.dropped {
		return nil, fmt.Errorf("open %s: its text was dropped", l.File)
	}
	doc, _ := markdown.ParseWith(l.File, l.Source, l.body, l.options)
	return doc, nil
}

// Drop frees the lesson's text and document. What was read of them stays.
func (l *Lesson) Drop() { l.Source, l.Doc, l.dropped = nil, nil, true }

// Options say how a site's lessons are read.
type Options struct {
	Markdown markdown.Options // what texts depend on beside their files: the recorded values
	Workers  int              // lessons read at a time; 0 is one per CPU

	// Known returns a lesson that was read before and needs not be read again, or
	// nil. It may be nil.
	Known func(file string) *Lesson

	// Parsed, unless it is nil, is given each lesson as soon as it is read, by
	// several goroutines at once. Its document is dropped then: those of a
	// large site take more memory than all else.
	Parsed func(*Lesson) error
}

// All returns the home page, if there is one, and then every lesson.
func (b *Book) All() []*Lesson {
	if b.Home == nil {
		return b.Lessons
	}
	return append([]*Lesson{b.Home}, b.Lessons...)
}

// Site reads the site whose root is fsys. Problems are the author's; an error
// means that the folder itself cannot be read.
func Site(fsys fs.FS) (*Book, problem.List, error) {
	return SiteWith(fsys, Options{})
}

// SiteWith reads like Site, as the options say.
func SiteWith(fsys fs.FS, options Options) (*Book, problem.List, error) {
	b, ps, err := Read(fsys, options)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range b.All() {
		ps = append(ps, l.Problems...)
	}
	return b, ps, nil
}

// Read reads like SiteWith, and lists only what is wrong elsewhere than in a
// lesson: each lesson has its own list.
func Read(fsys fs.FS, options Options) (*Book, problem.List, error) {
	if info, err := fs.Stat(fsys, Content); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("read the site: there is no folder %s/ here", Content)
	}
	b := &Book{options: options}
	var ps problem.List
	for _, part := range []func(*Book, fs.FS, *problem.List) error{loadContent, loadExamples, loadSources} {
		if err := part(b, fsys, &ps); err != nil {
			return nil, nil, fmt.Errorf("read the site: %w", err)
		}
	}
	addTranscripts(b)
	return b, ps, nil
}

// TranscriptTimeout is how long all commands of a transcript may take.
const TranscriptTimeout = 10 * time.Second

// addTranscripts makes each transcript of a lesson an example.
func addTranscripts(b *Book) {
	for _, l := range b.All() {
		for _, t := range l.Body.Transcripts {
			record := strings.TrimSuffix(l.File, ".md") + ".recorded/" + t.ID
			b.Examples = append(b.Examples, lesson.Example{
				ID: lesson.TranscriptID(l.ID, t.ID), Dir: record, RecordDir: record, Pos: t.Pos,
				Needs: "redis", Timeout: TranscriptTimeout, Commands: t.Commands,
			})
		}
	}
	slices.SortFunc(b.Examples, func(x, y lesson.Example) int { return strings.Compare(x.ID, y.ID) })
}

// loadContent reads lessons and lists the files that are copied.
func loadContent(b *Book, fsys fs.FS, ps *problem.List) error {
	files, err := listContent(b, fsys, ps)
	if err != nil {
		return err
	}
	lessons, errs := make([]*Lesson, len(files)), make([]error, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range cmp.Or(b.options.Workers, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				lessons[i], errs[i] = loadLesson(fsys, files[i], b.options)
			}
		})
	}
	wg.Wait()
	for i, l := range lessons {
		switch {
		case errs[i] != nil:
			return errs[i]
		case l.ID == "": // it could not be read
			*ps = append(*ps, l.Problems...)
		case l.ID == HomeID:
			b.Home = l
		default:
			b.Lessons = append(b.Lessons, l)
		}
	}
	slices.SortFunc(b.Lessons, func(x, y *Lesson) int { return strings.Compare(x.ID, y.ID) })
	b.Course = course(b)
	return nil
}

// listContent returns the files of the lessons, and lists the others in the book.
func listContent(b *Book, fsys fs.FS, ps *problem.List) (lessons []string, err error) {
	err = fs.WalkDir(fsys, Content, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && file != Content && (hidden(name) || strings.HasSuffix(name, ".recorded")):
			return fs.SkipDir
		case oddName(name):
			ps.AddHint(problem.Pos{File: strconv.Quote(file)}, "file", "rename it", "a control character in its name")
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() && path.Ext(name) == ".md":
			ps.AddHint(problem.Pos{File: file}, "file", "rename the folder: only a lesson's name ends with .md", "a folder with the name of a lesson")
			return nil
		case d.IsDir() || hidden(name):
			return nil
		case !d.Type().IsRegular():
			if err := unreadable(fsys, file); err != nil {
				complain(ps, file, err)
				return nil
			}
		}
		if path.Ext(name) != ".md" {
			b.Files = append(b.Files, file)
			return nil
		}
		if strings.ContainsAny(file, "#%?") {
			ps.AddHint(problem.Pos{File: file}, "file", "rename it: #, % and ? have a meaning of their own in the address of its page", "a lesson whose address nobody could follow")
			return nil
		}
		lessons = append(lessons, file)
		return nil
	})
	return lessons, err
}

// loadLesson reads a lesson. Of one that cannot be read there are only the
// file and the problem.
func loadLesson(fsys fs.FS, file string, options Options) (*Lesson, error) {
	if options.Known != nil {
		if l := options.Known(file); l != nil {
			return l, nil
		}
	}
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		l := &Lesson{Lesson: lesson.Lesson{File: file}}
		l.Problems.Add(problem.Pos{File: file}, "file", "cannot be read: %v", cause(err))
		return l, nil
	}
	l := parseLesson(file, slices.Clip(src), options)
	if options.Parsed == nil {
		return l, nil
	}
	err = options.Parsed(l)
	l.Doc = nil
	return l, err
}

// Lesson reads one lesson as the book's others were read, and hands it to
// Options.Parsed. Of one that cannot be read the id is "".
func (b *Book) Lesson(fsys fs.FS, file string) (*Lesson, error) {
	options := b.options
	options.Known = nil
	return loadLesson(fsys, file, options)
}

// With returns the book with l in the place of the lesson that has its id, and is
// neither the home page nor has a transcript.
func (b *Book) With(l *Lesson) *Book {
	with := *b
	with.Lessons = slices.Clone(b.Lessons)
	for i, other := range with.Lessons {
		if other.ID == l.ID {
			with.Lessons[i] = l
		}
	}
	return &with
}

// Reread replaces the content of l by the lesson in src, new bytes of its file.
func (b *Book) Reread(l *Lesson, src []byte) {
	*l = *parseLesson(l.File, src, b.options)
}

func parseLesson(file string, src []byte, options Options) *Lesson {
	l := &Lesson{options: options.Markdown}
	l.File, l.Source = file, src
	l.ID = strings.TrimSuffix(strings.TrimPrefix(file, Content+"/"), ".md")
	meta, start, problems := frontMatter(file, src)
	l.Meta, l.body = meta, start
	checkText(l, &l.Problems)
	doc, more := markdown.ParseWith(file, src, start, options.Markdown)
	l.Doc, l.Body = doc, doc.Body
	l.Problems = append(append(l.Problems, problems...), more...)
	wrong, _ := problems.Count()
	title(l, wrong == 0, &l.Problems)
	return l
}

// checkText complains about bytes that a page of text cannot hold.
func checkText(l *Lesson, ps *problem.List) {
	if bytes.HasPrefix(l.Source, []byte("\xff\xfe")) || bytes.HasPrefix(l.Source, []byte("\xfe\xff")) {
		ps.AddHint(problem.Pos{File: l.File, Line: 1, Col: 1}, "text", "save it as UTF-8", "it is UTF-16")
		return
	}
	valid := utf8.Valid(l.Source)
	for i := 0; i < len(l.Source) && !valid; {
		r, size := utf8.DecodeRune(l.Source[i:])
		if r == utf8.RuneError && size == 1 {
			ps.AddHint(problem.At(l.File, l.Source, i), "text", "save it as UTF-8", "the byte \\x%02x is not UTF-8", l.Source[i])
			return
		}
		i += size
	}
	if i := bytes.IndexFunc(l.Source[:l.body], problem.IsBidiControl); i >= 0 {
		r, _ := utf8.DecodeRune(l.Source[i:])
		ps.Warn(problem.At(l.File, l.Source, i), "text", "%U changes the direction in which browsers show this text", r)
	}
	if i := invisibleIn(l.Source); i >= 0 {
		r, _ := utf8.DecodeRune(l.Source[i:])
		ps.Warn(problem.At(l.File, l.Source, i), "text", "the control character %U shows nothing", r)
	}
}

// invisibleIn returns the place of the first control character that shows nothing,
// or -1. Only a byte that one may begin with is worth a look, and few are.
func invisibleIn(src []byte) int {
	const firstBeyondASCII = 0xC2 // begins U+0080 to U+00BF
	for i, c := range src {
		if c >= ' ' && c != 0x7F && c != firstBeyondASCII {
			continue
		}
		if r, _ := utf8.DecodeRune(src[i:]); invisible(r) {
			return i
		}
	}
	return -1
}

func invisible(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\f", r) }

// title settles what the page is called: front matter, else the first heading.
// Where the front matter could not be read, a missing title is no news.
func title(l *Lesson, complain bool, ps *problem.List) {
	if l.Meta.Title == "" {
		l.Meta.Title = l.Body.Title
	}
	if l.Meta.Title == "" {
		l.Meta.Title = l.ID
		if complain {
			ps.AddHint(problem.Pos{File: l.File, Line: 1, Col: 1}, "title",
				"add \"title: …\" to the front matter, or a first line \"# …\"", "the lesson has no title")
		}
	}
	if l.Meta.Summary == "" {
		l.Meta.Summary = l.Body.FirstSentence
	}
}

// course is the order of the lessons: the links of the lists on the home page,
// or without a home page every lesson by title.
func course(b *Book) []lesson.Entry {
	var entries []lesson.Entry
	if b.Home == nil {
		for _, l := range b.Lessons {
			if !l.Meta.Draft {
				entries = append(entries, lesson.Entry{Lesson: l.ID, Title: l.Meta.Title, Depth: 1})
			}
		}
		slices.SortStableFunc(entries, func(x, y lesson.Entry) int { return strings.Compare(x.Title, y.Title) })
		return entries
	}
	seen := map[string]bool{}
	for _, link := range b.Home.Body.Links {
		id, ok := lessonOf(link)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		entries = append(entries, lesson.Entry{Lesson: id, Title: link.Text, Depth: link.Depth, Pos: link.Pos})
	}
	return entries
}

// lessonOf returns the lesson that a link of a list on the home page leads to.
func lessonOf(l lesson.Link) (id string, ok bool) {
	if !l.ListItem || l.Image || strings.Contains(l.Dest, ":") {
		return "", false
	}
	file, _, _ := strings.Cut(l.Dest, "#")
	id, ok = strings.CutSuffix(lesson.Unescape(file), ".md")
	return path.Clean(id), ok
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// cause is the reason of a failed read, without the path that the problem
// already names.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
