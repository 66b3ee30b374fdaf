// Package lesson promises the plain types that cross borders between the
// other packages: what a lesson says, in words a check or a theme can read,
// without the parser that found it or the template that shows it.
package lesson

import (
	"fmt"
	"strconv"

	"verbatim/internal/problem"
)

// Lesson is one Markdown file of the site.
type Lesson struct {
	ID     string // path below content/ without .md: "a/b"
	File   string // "content/a/b.md"
	Source []byte // the file as read, front matter and byte-order mark included
	Meta   Meta
	Body   Body
}

// Meta is the front matter. Pos gives the place of a key that was present.
type Meta struct {
	Title   string
	Summary string
	Needs   []Ref
	Related []Ref
	Tags    []string
	Checked string // a date, 2026-11-29
	Aliases []string
	Draft   bool

	// Of content/index.md alone.
	BaseURL, Language, License, Repository, Redis string

	Pos map[string]problem.Pos
}

// Ref names another lesson, and may say why.
type Ref struct {
	ID, Why string
	Pos     problem.Pos
}

// Body is what the Markdown below the front matter holds. Everything is in
// document order and says where it stands.
type Body struct {
	Title         string // plain text of the first level-one heading, or ""
	FirstSentence string // plain text, for a lesson without a summary
	Headings      []Heading
	Links         []Link
	Fences        []Fence
	Containers    []*Container
	IDs           map[string]problem.Pos // every HTML id the body gives
}

// Heading is a heading of the author's.
type Heading struct {
	Pos   problem.Pos
	Level int
	ID    string
	Text  string // plain
}

// Link is a link or an image.
type Link struct {
	Pos   problem.Pos
	Dest  string // as written, unescaped
	Text  string // plain text, or an image's alternative text
	Image bool
	// ListItem is true for the first link of an item of a list: on the home
	// page these are the course.
	ListItem bool
	// Depth is the nesting of that list, 1 for the outermost.
	Depth int
}

// Fence is a code fence that shows recorded output. Its body is replaced in
// the author's file by byte range.
type Fence struct {
	Pos    problem.Pos // the opening marker
	Of     string      // the example's id
	Lines  string      // "1-2", "" for all
	Match  string      // a regular expression that selects lines, "" for all
	Start  int         // offset in the file of the first byte after the opening line
	End    int         // offset of the first byte of the closing line
	Prefix string      // what each body line begins with: indent, "> "
	Marker string      // the opening run of back-ticks or tildes
	Open   int         // offset of the first byte of the marker
	Body   []byte      // the body's lines without Prefix, line ends as LF
	In     *Container  // the innermost container around it, or nil
}

// Container is one ::: block. Which fields are set depends on Kind; see the
// table in LESSON-FORMAT.
type Container struct {
	Kind string // "predict", "question", "steps", …
	ID   string
	Attr map[string]string // every key=value as written
	Pos  problem.Pos       // the opening colons
	In   *Container        // the container around it, or nil

	Words    int      // summary: its length
	Steps    int      // steps: how many
	Rows     []Row    // analogy
	Title    string   // analogy: the bold title, plain
	Notes    []string // analogy: the run-in words of its paragraphs, "Breaks down when"
	Supports []Range  // example, source: steps
	Options  []Option // predict, question
	Stem     string   // predict, question: plain text
	Key      string   // predict, question: the letter of the answer, "" when open
	Answer   string   // predict, question: why the key is right, plain text
	URL      string   // source
	Quotes   []Quote  // source
	Solution bool     // exercise: it has a solution fold
}

// Option is one answer offered by a question.
type Option struct {
	Pos    problem.Pos
	Letter string
	Text   string // plain
	Reason string // plain: why not, or for the key why
}

// Row is one line of an analogy's table.
type Row struct {
	Pos   problem.Pos
	Steps []Range
}

// Range is a run of step numbers, both ends included. Pos is where it is
// written.
type Range struct {
	From, To int
	Pos      problem.Pos
}

// Quote is one quotation of a source.
type Quote struct {
	Pos  problem.Pos
	Text string // as it renders, without one enclosing pair of quotation marks
}

// Source is a cited page, from quotes/<ID>/source.yaml.
type Source struct {
	ID        string
	File      string // "quotes/redis-incr/source.yaml"
	Title     string
	Publisher string
	URL       string
	Copy      string // where the saved copy came from, in words
	Saved     string // a date
	Licence   string
	Publish   bool
	Module    string // a Go module pinned by go.sum, instead of a saved page
	Path      string // the file inside that module (key "file")
}

// Example is a runnable folder below examples/.
type Example struct {
	ID    string // "exh5050"
	Dir   string // "examples/exh5050"
	Go    bool   // package main, compiled; else Run is started
	Needs string // "redis", "none"
	Exit  int

	Title   string
	Run     []string          // words of the command
	Timeout int               // milliseconds
	Env     map[string]string // literals added to the environment
}

// Entry is one lesson of the course, in the order in which the home page
// lists them.
type Entry struct {
	Lesson string // its id
	Title  string // as the home page calls it
	Depth  int    // 1 for the outermost list
	Pos    problem.Pos
}

// String writes the range as authors do: "3" or "3-5".
func (r Range) String() string {
	if r.From == r.To {
		return strconv.Itoa(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}
