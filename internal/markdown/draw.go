package markdown

import (
	"bufio"
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"verbatim/internal/lesson"
)

// Theme draws what plain Markdown has no elements for. The HTML it is given is
// safe; so must be what it returns.
type Theme interface {
	// Container draws a ::: block or an alert from its parts.
	Container(*Block) (template.HTML, error)
	// Output draws recorded lines.
	Output(*lesson.Fence) (template.HTML, error)
	// Snippet draws code of an example.
	Snippet(language string, f *lesson.Fence) (template.HTML, error)
	// Transcript draws commands.
	Transcript(*lesson.Transcript) (template.HTML, error)
	// Chart draws a recorded table.
	Chart(*lesson.Chart) (template.HTML, error)
	// Mermaid draws a fence of Mermaid.
	Mermaid(*lesson.Mermaid) (template.HTML, error)
	// Value draws a recorded value that is known; as text alone where it
	// stands in a link.
	Value(v lesson.Value, linked bool) (template.HTML, error)
	// Code draws a fence or an indented block; language is "" when unknown.
	Code(language, code string) (template.HTML, error)
	// InlineQuote draws a quotation within a sentence, around its words.
	InlineQuote(q lesson.InlineQuote, words template.HTML) (template.HTML, error)
	// Table returns the HTML before and after a table, so that it can scroll.
	Table() (before, after template.HTML)
	// Image returns the size of an image in pixels; 0, 0 when unknown.
	Image(dest string) (width, height int)
	// Course draws a list of lessons. It reports false where the list is to be
	// drawn as it stands.
	Course([]lesson.Entry) (template.HTML, bool, error)
}

// draw is how a fence that is more than code asks its theme.
type draw func(Theme) (template.HTML, error)

// HTML draws the body, without the title.
func (d *Doc) HTML(t Theme) (template.HTML, error) {
	dr := d.drawing(t)
	return dr.html(d.root), dr.err
}

// Title draws the first heading of level one and returns its id; both are ""
// when there is none.
func (d *Doc) Title(t Theme) (title template.HTML, id string, err error) {
	if d.title == nil {
		return "", "", nil
	}
	dr := d.drawing(t)
	value, _ := d.title.AttributeString("id")
	return dr.inline(d.title), string(value.([]byte)), dr.err
}

// drawing is one document being drawn.
type drawing struct {
	d      *Doc
	theme  Theme
	r      renderer.Renderer
	number int               // questions drawn so far
	drawn  map[ast.Node]bool // lists that the theme drew
	err    error
}

func (d *Doc) drawing(t Theme) *drawing {
	dr := &drawing{d: d, theme: t, drawn: map[ast.Node]bool{}}
	align := extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)
	dr.r = renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(dr, 100),
		util.Prioritized(extension.NewTableHTMLRenderer(align), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
		util.Prioritized(extension.NewFootnoteHTMLRenderer(), 500),
		util.Prioritized(html.NewRenderer(html.WithUnsafe()), 1000),
	))
	return dr
}

// RegisterFuncs says which nodes are not drawn as goldmark does.
func (dr *drawing) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(containerKind, dr.drawContainer)
	reg.Register(ast.KindFencedCodeBlock, dr.drawFence)
	reg.Register(ast.KindCodeBlock, dr.drawCode)
	reg.Register(ast.KindBlockquote, dr.drawQuote)
	reg.Register(ast.KindList, dr.drawList)
	reg.Register(inlineQuoteKind, dr.drawInlineQuote)
	reg.Register(ast.KindHTMLBlock, dr.drawTags)
	reg.Register(ast.KindRawHTML, dr.drawTags)
	reg.Register(ast.KindImage, dr.drawImage)
	reg.Register(east.KindTable, dr.drawTable)
	reg.Register(valueKind, dr.drawValue)
}

// memory is what goldmark draws to. As a util.BufWriter it needs no buffer
// between, of which every small piece of a page would get its own.
type memory struct{ bytes.Buffer }

// Buffered returns 0: nothing is held back.
func (*memory) Buffered() int { return 0 }

// Flush has nothing to do.
func (*memory) Flush() error { return nil }

// memories are used again, since they grow to the size of a page.
var memories = sync.Pool{New: func() any { return &memory{} }}

// html draws nodes one after another. The first failure is kept for the end.
func (dr *drawing) html(nodes ...ast.Node) template.HTML {
	out := memories.Get().(*memory)
	defer memories.Put(out)
	out.Reset()
	for _, n := range nodes {
		if err := dr.r.Render(out, dr.d.src, n); err != nil && dr.err == nil {
			dr.err = fmt.Errorf("draw %s: %w", dr.d.at(n), err)
		}
	}
	return template.HTML(out.String())
}

// inline draws what is in a node, without the node's own element.
func (dr *drawing) inline(n ast.Node) template.HTML {
	return template.HTML(strings.TrimSpace(string(dr.html(childrenOf(n)...))))
}

func (dr *drawing) drawContainer(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	c := n.(*container)
	if c.kind == nil {
		return ast.WalkContinue, nil
	}
	return write(w)(dr.theme.Container(dr.block(c)))
}

// write is the end of every function that asks the theme.
func write(w util.BufWriter) func(template.HTML, error) (ast.WalkStatus, error) {
	return func(s template.HTML, err error) (ast.WalkStatus, error) {
		if err != nil {
			return ast.WalkStop, err
		}
		_, err = w.WriteString(string(s))
		return ast.WalkSkipChildren, err
	}
}

func (dr *drawing) drawFence(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	if draw := dr.d.draws[n]; draw != nil {
		return write(w)(draw(dr.theme))
	}
	language := ""
	if info := n.(*ast.FencedCodeBlock).Info; info != nil {
		language = readInfo(string(info.Value(src))).language
	}
	return write(w)(dr.theme.Code(language, code(n, src)))
}

func (dr *drawing) drawCode(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	return write(w)(dr.theme.Code("", code(n, src)))
}

// code returns the text of a code block with LF as line end.
func code(n ast.Node, src []byte) string {
	return keepTags.Replace(string(n.Lines().Value(src)))
}

func (dr *drawing) drawQuote(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	mark, isAlert := n.AttributeString("alert")
	if isAlert && entering {
		name := mark.(string)
		title := name[2:3] + strings.ToLower(name[3:len(name)-1])
		return write(w)(dr.theme.Container(&Block{
			Container: &lesson.Container{Kind: alerts[name], Pos: dr.d.at(n)},
			Label:     title, Body: dr.html(childrenOf(n)...),
		}))
	}
	switch {
	case isAlert:
	case entering:
		_, _ = w.WriteString("<blockquote>\n")
	default:
		_, _ = w.WriteString("</blockquote>\n")
	}
	return ast.WalkContinue, nil
}

func (dr *drawing) drawList(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	list := n.(*ast.List)
	if course := dr.d.courses[n]; course != nil && entering {
		html, ok, err := dr.theme.Course(course)
		if ok || err != nil {
			dr.drawn[n] = true
			return write(w)(html, err)
		}
	}
	if dr.drawn[n] {
		return ast.WalkContinue, nil
	}
	tag := "ul"
	if list.IsOrdered() {
		tag = "ol"
	}
	switch {
	case !entering:
		_, _ = fmt.Fprintf(w, "</%s>\n", tag)
	case list.IsOrdered() && list.Start != 1:
		_, _ = fmt.Fprintf(w, "<ol start=\"%d\">\n", list.Start)
	default:
		_, _ = fmt.Fprintf(w, "<%s>\n", tag)
	}
	return ast.WalkContinue, nil
}

var (
	escapeTags = strings.NewReplacer("<", "&lt;", ">", "&gt;", "\x00", "\uFFFD", "\r\n", "\n")
	keepTags   = strings.NewReplacer("\x00", "\uFFFD", "\r\n", "\n")
)

func (dr *drawing) drawTags(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	for i := range dr.d.tags[n] {
		t := &dr.d.tags[n][i]
		switch {
		case t.live && t.name != "":
			dr.write(w, t, n.Type() == ast.TypeBlock)
		case t.live: // a comment
			_, _ = keepTags.WriteString(w, string(t.text))
		case t.markup: // as it is written, entities included
			_, _ = w.Write(util.EscapeHTML([]byte(keepTags.Replace(string(t.text)))))
		default:
			_, _ = escapeTags.WriteString(w, string(t.text))
		}
		if t.value == nil {
			continue
		}
		if _, err := dr.drawValue(w, nil, t.value, true); err != nil {
			return ast.WalkStop, err
		}
	}
	return ast.WalkSkipChildren, nil
}

func (dr *drawing) drawImage(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	image := n.(*ast.Image)
	dest := util.EscapeHTML(util.URLEscape(image.Destination, true))
	_, _ = fmt.Fprintf(w, `<img src="%s" alt="%s"`, dest, util.EscapeHTML([]byte(dr.d.text(image))))
	if image.Title != nil {
		_, _ = fmt.Fprintf(w, ` title="%s"`, util.EscapeHTML(unescape(image.Title)))
	}
	writeSize(w, dr.theme, string(image.Destination))
	return ast.WalkSkipChildren, w.WriteByte('>')
}

// writeSize writes the size of an image that is known.
func writeSize(w util.BufWriter, theme Theme, dest string) {
	if width, height := theme.Image(dest); width > 0 && height > 0 {
		_, _ = fmt.Fprintf(w, ` width="%d" height="%d"`, width, height)
	}
}

func (dr *drawing) drawTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	before, after := dr.theme.Table()
	if entering {
		_, _ = w.WriteString(string(before) + "<table>\n")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("</table>\n" + string(after))
	return ast.WalkContinue, nil
}

// phrase draws a cell's words once more, in another place: code and emphasis
// stay, whatever could only stand once (ids, foot-notes, links) does not.
func (dr *drawing) phrase(n ast.Node) template.HTML {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.CodeSpan:
			_, _ = fmt.Fprintf(w, "<code>%s</code>", util.EscapeHTML([]byte(dr.d.text(c))))
		case *ast.Emphasis, *ast.Link, *east.Strikethrough:
			_, _ = w.WriteString(string(dr.phrase(c)))
		case *ast.Text:
			_, _ = w.Write(util.EscapeHTML(dr.d.plain(c)))
		case *east.FootnoteLink:
		default:
			_, _ = w.Write(util.EscapeHTML([]byte(dr.d.text(c))))
		}
	}
	_ = w.Flush()
	return template.HTML(out.String())
}
