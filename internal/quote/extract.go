package quote

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped are the elements whose text no reader of the page sees.
var dropped = setOf(atom.Head, atom.Title, atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object,
	atom.Svg, atom.Textarea, atom.Select, atom.Rt, atom.Rp, atom.Annotation, atom.Noembed, atom.Noframes)

// fallbacks are the elements whose text a browser shows only where it cannot
// show the element itself.
var fallbacks = setOf(atom.Noscript, atom.Video, atom.Audio, atom.Canvas, atom.Datalist, atom.Progress, atom.Meter)

// blocks are the elements at whose edges words end.
var blocks = setOf(atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center,
	atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption,
	atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
	atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup,
	atom.Option, atom.P, atom.Pre, atom.Search, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td,
	atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul)

func setOf(atoms ...atom.Atom) map[atom.Atom]bool {
	set := map[atom.Atom]bool{}
	for _, a := range atoms {
		set[a] = true
	}
	return set
}

// extract walks the tree of a page and returns its text, in order.
func extract(tree *html.Node) []run {
	w := walker{runs: make([]run, 0, 256), sheet: readSheets(tree)} // a short page; it grows
	w.walk(tree, 0)
	return w.runs
}

type walker struct {
	runs  []run
	sheet sheet
}

func (w *walker) walk(n *html.Node, f flags) {
	switch n.Type {
	case html.TextNode:
		w.runs = append(w.runs, run{text: n.Data, flags: f})
		return
	case html.ElementNode:
		w.element(n, f)
		return
	case html.DocumentNode:
		w.children(n, f)
	}
}

func (w *walker) element(n *html.Node, f flags) {
	if dropped[n.DataAtom] || n.Data == "annotation-xml" {
		return
	}
	if n.DataAtom == atom.Br {
		w.runs = append(w.runs, run{gap: wordGap, flags: f})
		return
	}
	f, block := w.style(n, f)
	if !block {
		w.children(n, f)
		return
	}
	w.runs = append(w.runs, run{gap: blockGap, flags: f})
	w.children(n, f)
	w.runs = append(w.runs, run{gap: blockGap, flags: f})
}

func (w *walker) children(n *html.Node, f flags) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c, f)
	}
}

// style returns the flags of the text in an element. f holds those of its parent.
func (w *walker) style(n *html.Node, f flags) (flags, bool) {
	block := blocks[n.DataAtom]
	if fallbacks[n.DataAtom] || n.Data == hiddenTag {
		f |= noBox
	}
	switch n.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		f |= struck
	case atom.Sup, atom.Sub:
		f |= raised
		if n.DataAtom == atom.Sup && isNote(n) {
			f |= footnote
		}
	}
	hidden := n.DataAtom == atom.Dialog && !has(n, "open") || has(n, "hidden") || has(n, "popover")
	f, hidden = w.sheet.apply(n, f, hidden)
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == "style" {
			f, block, hidden = inlineStyle(a.Val, f, block, hidden)
		}
	}
	if hidden {
		f |= noBox
	}
	return f, block
}

// isNote reports whether a <sup> is a foot-note mark: it holds a link to a
// fragment. Without its link it would be an exponent, which is content.
func isNote(sup *html.Node) bool {
	for n := range sup.Descendants() {
		if n.DataAtom != atom.A {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" && a.Namespace == "" && strings.HasPrefix(a.Val, "#") {
				return true
			}
		}
	}
	return false
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return true
		}
	}
	return false
}

// inlineStyle applies the declarations of a style attribute that change how
// text is read; the last of each property rules, as in a browser.
func inlineStyle(css string, f flags, block, hidden bool) (flags, bool, bool) {
	for declaration := range strings.SplitSeq(withoutComments(css), ";") {
		property, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(strings.ToLower(value), "!")
		value = strings.TrimSpace(value)
		if value == "" {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(property)) {
		case "display":
			hidden = value == "none"
			block = !strings.HasPrefix(value, "inline") && value != "contents"
		case "visibility":
			f &^= invisible
			if value == "hidden" || value == "collapse" {
				f |= invisible
			}
		case "text-decoration", "text-decoration-line":
			if strings.Contains(value, "line-through") {
				f |= struck
			}
		}
	}
	return f, block, hidden
}

func withoutComments(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var bare strings.Builder
	for css != "" {
		before, rest, found := strings.Cut(css, "/*")
		bare.WriteString(before)
		if found {
			bare.WriteByte(' ')
		}
		_, css, _ = strings.Cut(rest, "*/")
	}
	return bare.String()
}
