package markdown_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gohtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	xhtml "golang.org/x/net/html"

	"verbatim/internal/golden"
	"verbatim/internal/markdown"
)

// exceptions are the rules of lessons that plain Markdown meets, each with a
// function under which what is drawn and what goldmark draws are the same
// again. testdata/conform.txt says which example of a suite meets which.
var exceptions = []struct {
	name, reason string
	same         func(string) string
}{
	{"tag", "tags that a lesson may not hold are shown as text; attributes and components of other tools are left out",
		func(s string) string { return tokens(html.UnescapeString(s), markdown.Allowed) }},
	{"page", "a link to a lesson's file leads to its page",
		strings.NewReplacer(".md\"", ".html\"", ".md#", ".html#").Replace},
	{"scheme", "a link that could run something leads nowhere",
		func(s string) string { return schemes.ReplaceAllString(s, `${1}""`) }},
	{"alt", "white space in an image's alternative text is one space, and none at its ends",
		func(s string) string { return altText.ReplaceAllStringFunc(s, oneSpace) }},
	{"heading", "a heading has an id and no other attribute",
		func(s string) string { return headingTag.ReplaceAllString(s, "<$1>") }},
}

var (
	headingTag = regexp.MustCompile(`<(h[1-6])( [^>]*)?>`)
	headingID  = regexp.MustCompile(`<(h[1-6])( id="[^"]*")?`)
	altText    = regexp.MustCompile(`alt="[^"]*"`)
	schemes    = regexp.MustCompile(`((?:href|src)=)"(?i:javascript|vbscript|data):[^"]*"`)
)

func oneSpace(alt string) string {
	words := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(alt, `alt="`), `"`))
	return `alt="` + strings.Join(words, " ") + `"`
}

// example is one of a suite.
type example struct{ name, markdown string }

// TestConform draws every example of CommonMark's specification, of goldmark's
// extensions and of testdata/plain.jsonl, and compares with goldmark that has the same options:
// our containers, values and alerts change nothing where there is none. What
// differs stands in testdata/conform.txt (go test -update writes it), and
// differs by the named rule and by nothing else. The ids of headings are ours
// and are left out.
func TestConform(t *testing.T) {
	const list = "testdata/conform.txt"
	var got strings.Builder
	got.WriteString("# Examples that are not drawn as goldmark draws them, and the rule that says why.\n")
	for _, e := range exceptions {
		fmt.Fprintf(&got, "# %s: %s.\n", e.name, e.reason)
	}
	met := map[string]bool{}
	for _, e := range suites(t) {
		rule, ok := difference(t, e.markdown)
		if !ok {
			t.Errorf("%s: %q is drawn\n%s\nwant\n%s", e.name, e.markdown, ours(t, e.markdown), reference(t, e.markdown))
		}
		if rule != "" {
			met[rule] = true
			fmt.Fprintf(&got, "%s %s\n", e.name, rule)
		}
	}
	for _, e := range exceptions {
		if !met[e.name] {
			t.Errorf("no example meets the exception %q", e.name)
		}
	}
	if *golden.Update {
		if err := os.WriteFile(list, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", list, got.String(), want)
	}
}

// difference returns the rule by which an example differs, "" if it does not. It
// reports false if no rule alone explains the difference.
func difference(t *testing.T, src string) (rule string, ok bool) {
	t.Helper()
	got, want := ours(t, src), reference(t, src)
	if tokens(got, nil) == tokens(want, nil) {
		return "", true
	}
	for _, e := range exceptions {
		if tokens(e.same(got), nil) == tokens(e.same(want), nil) {
			return e.name, true
		}
	}
	return "", false
}

// tokens writes every tag of a page anew, in lower case and with its attributes
// in order; all between stays as it is, byte for byte. Where allowed is given, a
// tag keeps only the attributes that it may have, and one that is no tag of
// HTML goes.
func tokens(page string, allowed func(element, attribute string) bool) string {
	var out strings.Builder
	z := xhtml.NewTokenizer(strings.NewReader(page))
	done := 0
	for z.Next() != xhtml.ErrorToken {
		raw := string(z.Raw())
		done += len(raw)
		z.NextIsNotRawText()
		t := z.Token()
		switch t.Type {
		case xhtml.StartTagToken, xhtml.EndTagToken, xhtml.SelfClosingTagToken:
		default:
			out.WriteString(raw)
			continue
		}
		if allowed != nil && !allowed(t.Data, "id") && component.MatchString(raw) {
			continue
		}
		if allowed != nil && allowed(t.Data, "id") {
			t.Attr = slices.DeleteFunc(t.Attr, func(a xhtml.Attribute) bool { return !allowed(t.Data, a.Key) || a.Key == "alt" && a.Val == "" })
		}
		if t.Type == xhtml.EndTagToken {
			t.Attr = nil
		}
		slices.SortFunc(t.Attr, func(a, b xhtml.Attribute) int { return strings.Compare(a.Key, b.Key) })
		if t.Type == xhtml.SelfClosingTagToken {
			t.Type = xhtml.StartTagToken
		}
		out.WriteString(t.String())
	}
	return out.String() + page[done:]
}

var component = regexp.MustCompile(`^</?[A-Z][a-z]`)

// ours draws a page with its title, as a heading of level one, left out.
func ours(t *testing.T, src string) string {
	t.Helper()
	doc, _ := markdown.Parse("in.md", []byte(src), 0)
	drawn, err := doc.HTML(plain{})
	if err != nil {
		t.Fatal(err)
	}
	return headingID.ReplaceAllString(string(drawn), "<$1")
}

// reference draws a page with goldmark, and does with headings of level one
// what a lesson does: the first is the page's title, others are of level two.
func reference(t *testing.T, src string) string {
	t.Helper()
	md := goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList, extension.Footnote,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAttribute()),
		goldmark.WithRendererOptions(gohtml.WithUnsafe()))
	root := md.Parser().Parse(text.NewReader([]byte(src)))
	var title ast.Node
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		switch {
		case !ok || !entering || h.Level != 1:
		case title == nil && h.Parent() == root:
			title = h
		default:
			h.Level = 2
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if title != nil {
		root.RemoveChild(root, title)
	}
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, []byte(src), root); err != nil {
		t.Fatal(err)
	}
	return headingID.ReplaceAllString(out.String(), "<$1")
}

// suites reads the examples that goldmark's module brings: they are not ours
// to copy, and are there wherever the builder compiles.
func suites(t *testing.T) []example {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatalf("where is goldmark? %v", err)
	}
	root := strings.TrimSpace(string(dir))
	all := slices.Concat(specification(t, filepath.Join(root, "_test", "spec.json")), own(t))
	for _, name := range []string{"_test/extra.txt", "extension/_test/table.txt", "extension/_test/strikethrough.txt",
		"extension/_test/linkify.txt", "extension/_test/tasklist.txt", "extension/_test/footnote.txt"} {
		all = append(all, cases(t, filepath.Join(root, filepath.FromSlash(name)))...)
	}
	if len(all) < 700 {
		t.Fatalf("found only %d examples", len(all))
	}
	return all
}

func specification(t *testing.T, file string) (all []example) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown, Section string
		Example           int
	}
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		all = append(all, example{fmt.Sprintf("spec %d", e.Example), e.Markdown})
	}
	return all
}

// own reads the examples that we add.
func own(t *testing.T) (all []example) {
	t.Helper()
	data, err := os.ReadFile("testdata/plain.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var src string
		if err := json.Unmarshal(line, &src); err != nil {
			t.Fatalf("plain.jsonl:%d: %v", len(all)+1, err)
		}
		all = append(all, example{fmt.Sprintf("own %d", len(all)+1), src})
	}
	return all
}

// cases reads a file of goldmark's: a number, perhaps options, the Markdown
// and the HTML, with lines between them.
func cases(t *testing.T, file string) (all []example) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".txt")
	for part := range strings.SplitSeq(string(data), "//= = = = = = = = = = = = = = = = = = = = = = = =//\n") {
		pieces := strings.Split(part, "//- - - - - - - - -//\n")
		if len(pieces) != 3 {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimSpace(pieces[0]), "\n")
		number, _, _ = strings.Cut(number, ":")
		all = append(all, example{name + " " + number, pieces[1]})
	}
	if !slices.ContainsFunc(all, func(e example) bool { return e.name == name+" 1" }) {
		t.Fatalf("%s has no first case", file)
	}
	return all
}
