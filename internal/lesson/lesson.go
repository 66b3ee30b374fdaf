// Package lesson holds the plain types that the other packages share: the parts of a
// lesson, and its examples and sources. They do not depend on the parser that finds
// them or on the templates that show them.
package lesson

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

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

// NoInputs are the folders below an example's of which no run depends on a file.
var NoInputs = []string{"recorded", "__pycache__", "node_modules"}

// Unescape returns the path that a link's destination means: %20 and the like are
// undone. What cannot be undone stays as it is.
func Unescape(dest string) string {
	if plain, err := url.PathUnescape(dest); err == nil {
		return plain
	}
	return dest
}

// ExampleOf returns the id of the example that of= names in this lesson: one of
// its transcripts, or else an example of the site.
func (l *Lesson) ExampleOf(of string) string {
	for _, t := range l.Body.Transcripts {
		if t.ID == of {
			return TranscriptID(l.ID, of)
		}
	}
	return of
}

// TranscriptID names a lesson's transcript among all examples.
func TranscriptID(lesson, id string) string { return lesson + "#" + id }

// Meta is the front matter. Pos holds the positions of the keys that are present.
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
// document order, with positions.
type Body struct {
	Title         string // plain text of the first level-one heading, or ""
	FirstSentence string // plain text, for a lesson without a summary
	Headings      []Heading
	Links         []Link
	Fences        []Fence
	Containers    []*Container
	Transcripts   []Transcript
	Values        []Value
	Spaced        []Value // text that would be a value if its braces held no blanks
	Charts        []Chart
	Mermaids      []Mermaid
	Quotes        []InlineQuote          // those of containers are not among them
	Evidence      []Evidence             // everything that the site has to prove
	IDs           map[string]problem.Pos // every HTML id the body gives
}

// EvidenceKind says what an Evidence shows.
type EvidenceKind string

// The kinds of evidence.
const (
	EvidenceOutput     EvidenceKind = "output"     // what an example printed
	EvidenceTranscript EvidenceKind = "transcript" // commands that the build runs
	EvidenceCode       EvidenceKind = "code"       // lines of a file below examples/
	EvidenceTable      EvidenceKind = "table"      // a recorded table
	EvidenceValue      EvidenceKind = "value"      // a recorded value
	EvidenceAnswer     EvidenceKind = "answer"     // the right answer of a question
	EvidenceTip        EvidenceKind = "tip"        // advice that an example tries
	EvidenceQuotation  EvidenceKind = "quotation"  // words of a source
)

// Evidence is one place of a lesson that shows something which the site has to
// prove. The parser lists one for every fence and every attribute that names an
// example, a file, a value, a table or a source, so nothing else decides what
// is drawn after the examples ran, and what is counted.
type Evidence struct {
	Pos       problem.Pos // of the fence, container, value or quotation
	Kind      EvidenceKind
	Example   string     // as written: an example, or a transcript of the lesson; "" names none
	Item      string     // the value or the table of that example
	Column    string     // of the table: the one whose figures are shown
	File      string     // the file below examples/
	Source    string     // the source that is quoted
	Text      string     // the words that are quoted, as they render
	Container *Container // of an answer, a tip and the quotation of a source
}

// SelfContained reports whether the text shows nothing of examples, sources and
// records, so that it can be drawn before any of them is known.
func (b *Body) SelfContained() bool {
	for _, e := range b.Evidence {
		if e.Example != "" || e.File != "" || e.Kind == EvidenceQuotation {
			return false
		}
	}
	return true
}

// Heading is a heading of the author's.
type Heading struct {
	Pos   problem.Pos
	Level int
	ID    string
	Text  string // plain
}

// Section is a heading with the text below it, up to the next heading.
type Section struct {
	ID, Title string // of the heading; "" for what stands before the first
	Text      string // plain
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

// Fence is a code fence that shows recorded output, or code of an example. Its
// body is replaced in the author's file by byte range.
type Fence struct {
	Pos    problem.Pos // the opening marker
	Of     string      // the example's id, or the id of a transcript of the same lesson
	From   string      // instead of Of: a file, "exh5050/main.go", below examples/
	Func   string      // of From: the function or method to quote, "sweep" or "T.Close"
	Region string      // of From: between "[name]" and "[/name]"
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

// Transcript is a fence of redis commands with an id: an example of its own,
// named "<lesson>#<id>".
type Transcript struct {
	Pos      problem.Pos
	ID       string
	Commands []Command
}

// Command is one line of a transcript, split into its words as redis-cli does.
type Command struct {
	Pos   problem.Pos
	Text  string   // as written
	Words []string // none where the line has a problem
}

// Value is {{example.name}} in prose.
type Value struct {
	Pos     problem.Pos
	Example string
	Name    string
}

// Chart is a fence that is drawn from a recorded table.
type Chart struct {
	Pos     problem.Pos
	Example string // "algorithms"
	Table   string // "burst.csv"
	Title   string
	X, Y    string // columns
	Series  string // the column that tells series apart, "" for one
	Kind    string // "line", "step", "bar"
}

// Mermaid is a fence in the language of that name. Of its diagrams only a
// sequenceDiagram is drawn.
type Mermaid struct {
	Pos   problem.Pos
	Lines []Line
}

// Line is one line of a fence, with the place of its first byte.
type Line struct {
	Pos  problem.Pos
	Text string
}

// Container is one ::: block. Which fields are set depends on Kind; see the
// table in content/writing-lessons.md.
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
	// AnswerShown is the answer of an open question without what is struck through.
	AnswerShown string
	URL         string  // source
	Quotes      []Quote // source
	Solution    bool    // exercise: it has a solution fold
}

// Option is one answer offered by a question.
type Option struct {
	Pos    problem.Pos
	Letter string
	Text   string // plain
	Shown  string // the same without what is struck through
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

// InlineQuote is a quotation within a sentence, [quoted words](quote:source).
type InlineQuote struct {
	Quote
	Source string // its id, as written
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
	Ours      bool   // the page is the author's own: an invented runbook, say
	Module    string // a Go module pinned by go.sum, instead of a saved page
	Path      string // the file inside that module (key "file")
}

// Example is a runnable folder below examples/.
type Example struct {
	ID    string // "exh5050"
	Dir   string // "examples/exh5050"
	Go    bool   // package main, compiled; else Run is started
	Needs string // "redis", "redis-cluster", "none"
	Exit  int

	Title     string
	Run       []string          // words of the command
	Timeout   time.Duration     // how long a run may take
	Env       map[string]string // literals added to the environment
	Masks     []Mask
	Unordered bool               // its lines compare as a multiset
	Tolerance map[string]float64 // value, or "table.csv:column" → percent

	// Commands makes it a transcript of a lesson, run by the build itself.
	Commands  []Command
	Pos       problem.Pos // of a transcript: its fence
	RecordDir string      // the folder of its record, "examples/exh5050/recorded"
}

// IsTranscript reports whether the example is a transcript of a lesson.
func (e *Example) IsTranscript() bool { return strings.Contains(e.ID, "#") }

// CanRun reports whether the example may run: a transcript in which a line has a
// problem, or that has no command, may not.
func (e *Example) CanRun() bool {
	return !e.IsTranscript() || len(e.Commands) > 0 &&
		!slices.ContainsFunc(e.Commands, func(c Command) bool { return len(c.Words) == 0 })
}

// Mask hides what differs from run to run: text that it matches compares equal
// to other text that it matches, and is shown as its name.
type Mask struct {
	Pos     problem.Pos
	Name    string // "time", "id", "port", or what the author calls it
	Pattern string // a regular expression
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
