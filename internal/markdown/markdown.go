// Package markdown parses lessons and renders them to HTML. Parsing returns the parts
// of a lesson as plain data (package lesson), each with its position in the author's
// file. Rendering writes HTML with only the elements and attributes that authors may
// use.
//
// goldmark parses and renders ordinary Markdown (CommonMark, GFM, footnotes). The
// containers between ::: lines are rows of the table in kinds.go, and a Theme draws
// them.
package markdown

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// Doc is a parsed lesson. It does not change after Parse, so it may be drawn
// by several goroutines.
type Doc struct {
	Body lesson.Body

	source
	root  ast.Node
	title *ast.Heading // the page's h1, taken out of root

	containers []*container
	options    Options
	closed     map[ast.Node]bool           // fences that end with a mark of their own
	draws      map[ast.Node]draw           // fences that are more than code
	notes      []definition                // of foot-notes
	fenceIDs   []attribute                 // ids that fences give
	tags       map[ast.Node][]tag          // what an author's HTML consists of
	courses    map[ast.Node][]lesson.Entry // outermost lists that link to lessons
	repeats    map[string]int              // how often a heading's id was taken
	quoted     []ast.Node                  // what holds the words of a quotation
	around     int                         // <del> and the like that are open where the walk is
	altered    map[ast.Node]bool           // block quotes inside of such
	leftOut    map[string]bool             // element and attribute that a warning named
}

// source is the text of a lesson, and what is wrong with it.
type source struct {
	file     string
	src      []byte // the body: what follows the front matter
	base     int    // the body's offset in the file
	lines    []int  // offsets in the file at which its lines begin
	problems problem.List
}

// The parts of the parser. Each reads one kind of thing, and adds what it finds to
// the Doc.
type (
	htmlReader      struct{ *Doc } // HTML that authors write, and values
	blockReader     struct{ *Doc } // headings, links and other ordinary Markdown
	fenceReader     struct{ *Doc } // fences that are more than code
	containerReader struct{ *Doc } // ::: containers and quotations
	questionReader  struct{ *Doc } // the parts of questions
	linter          struct{ *Doc } // likely mistakes in ordinary Markdown
)

// extensions is what plain Markdown means here.
func extensions() goldmark.Option {
	return goldmark.WithExtensions(
		bareLinks(), extension.Strikethrough, taskList{}, extension.Footnote,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)))
}

// lessonParser parses lessons. Like every goldmark parser it has no state of
// its own after its first use and may be shared.
var lessonParser = goldmark.New(goldmark.WithParser(plainParser()), extensions(), goldmark.WithParserOptions(
	parser.WithAttribute(),
	parser.WithBlockParsers(
		util.Prioritized(containerParser{}, 90),
		util.Prioritized(fenceParser{parser.NewFencedCodeBlockParser()}, 690),
		util.Prioritized(newNoteParser(), 998)), // goldmark's own has 999
	parser.WithInlineParsers(util.Prioritized(valueParser{}, 50)),
	parser.WithParagraphTransformers(util.Prioritized(alertParser{}, 50)),
)).Parser()

// plainParser is goldmark's own, within the limits of limits.go.
func plainParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(blockParsers()...),
		parser.WithInlineParsers(inlineParsers()...),
		parser.WithParagraphTransformers(paragraphTransformers()...))
}

// Strip returns a Markdown page as plain HTML, without any container of ours:
// what quotations of that page are looked up in.
func Strip(md []byte) []byte {
	var out bytes.Buffer
	md = bytes.ReplaceAll(md, []byte("\r\n"), []byte("\n"))
	page := goldmark.New(goldmark.WithParser(plainParser()), extensions(), goldmark.WithRendererOptions(html.WithUnsafe()))
	ctx := parser.NewContext()
	if tooLarge(md) == nil {
		if err := page.Convert(md, &out, parser.WithContext(ctx)); err != nil {
			panic(fmt.Sprintf("goldmark failed to write to memory: %v", err))
		}
	}
	if tooLarge(md) != nil || excessOf(ctx) != nil {
		return []byte("<pre>" + string(util.EscapeHTML(md)) + "</pre>\n")
	}
	return out.Bytes()
}

// Parse reads the lesson that begins at offset start of src, a whole file.
// Every position in the document and in the problems, is one of the
// file. The document is complete even when there are problems. Values stay as
// they are written.
func Parse(file string, src []byte, start int) (*Doc, problem.List) {
	return ParseWith(file, src, start, Options{})
}

// ParseWith is Parse where values are known: they are part of every text that
// the document returns, ids of headings included.
func ParseWith(file string, src []byte, start int, options Options) (*Doc, problem.List) {
	d := &Doc{
		source:  source{file: file, src: src[start:], base: start, lines: lineStarts(src)},
		options: options,
		root:    ast.NewDocument(),
		closed:  map[ast.Node]bool{}, draws: map[ast.Node]draw{},
		tags: map[ast.Node][]tag{}, courses: map[ast.Node][]lesson.Entry{},
		repeats: map[string]int{}, leftOut: map[string]bool{}, altered: map[ast.Node]bool{},
	}
	d.Body.IDs = map[string]problem.Pos{}
	tooMuch := tooLarge(d.src)
	if tooMuch == nil {
		ctx := parser.NewContext()
		ctx.Set(docKey, d)
		d.root = lessonParser.Parse(text.NewReader(d.src), parser.WithContext(ctx))
		tooMuch = excessOf(ctx)
	}
	if tooMuch != nil {
		return d.refuse(tooMuch)
	}
	htmlReader{d}.readTags()
	linter{d}.checkDangling() // before the options of questions lose their letters
	blockReader{d}.readBlocks()
	blockReader{d}.giveIDs()
	blockReader{d}.readInlines()
	containerReader{d}.finish()
	linter{d}.checkDirections()
	linter{d}.checkBesideValues()
	blockReader{d}.takeTitle()
	d.readEvidence()
	d.problems.Sort()
	return d, d.problems
}

// refuse returns the document without its text, and the one problem that says
// why.
func (d *Doc) refuse(e *excess) (*Doc, problem.List) {
	d.root, d.problems = ast.NewDocument(), nil
	d.fail(e.at, e.check, e.hint, "%s", e.text)
	return d, d.problems
}

// lineStarts returns the offset of each line's first byte.
func lineStarts(src []byte) []int {
	starts := []int{0}
	for i, c := range src {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// pos returns the place in the file of the byte at offset of the body.
func (d *source) pos(offset int) problem.Pos {
	offset = min(max(offset, 0), len(d.src)) + d.base
	line := sort.SearchInts(d.lines, offset+1)
	return problem.Pos{File: d.file, Line: line, Col: offset - d.lines[line-1] + 1}
}

// at returns the place of a node.
func (d *source) at(n ast.Node) problem.Pos { return d.pos(offset(n)) }

// offset finds where n begins in the body. Nodes that do not know it begin
// where their first child does.
func offset(n ast.Node) int {
	for ; n != nil; n = n.FirstChild() {
		if t, ok := n.(*ast.Text); ok {
			return t.Segment.Start
		}
		if n.Pos() >= 0 {
			return n.Pos()
		}
	}
	return 0
}

func (d *source) fail(at int, check, hint, format string, args ...any) {
	d.problems.AddHint(d.pos(at), check, hint, format, args...)
}

func (d *source) warn(at int, check, format string, args ...any) {
	d.problems.Warn(d.pos(at), check, format, args...)
}
