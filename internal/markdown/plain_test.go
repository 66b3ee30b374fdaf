package markdown_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"

	"verbatim/internal/markdown"
)

// pages are plain Markdown, with nothing in it that this package treats in a
// way of its own.
var pages = []string{
	"para *em* **strong** `code` \\* &amp; &copy; \"quoted\"  \nbreak\\\nsoft\nline\n",
	"## One\n\n### Two three\n\nSetext\n------\n",
	"- a\n- b\n  - c\n\n    d\n\n3. x\n4. y\n",
	"> quote\n> more\n>\n> - list\nlazy\n",
	"```go\nx := 1 < 2 && \"s\"\n```\n\n~~~\ntext\n~~~\n\n    indented\n    code\n",
	"| a | b |\n|---|:-:|\n| 1 | `2` |\n\n~~gone~~ https://example.org www.example.org a@b.example\n",
	"- [ ] open\n- [x] done\n\nnote[^a] and[^b]\n\n[^a]: One.\n[^b]: Two\n    more.\n",
	"[a](b.html \"t\") [r] ![i](i.png \"title\") <https://x.example>\n\n[r]: /url 'title'\n",
	"<details>\n<summary>s</summary>\n\ntext <kbd>k</kbd><br>\n\n</details>\n\n<!-- c -->\n\n***\n",
	":: two colons\n\na:::b\n\n`:::`\n",
	"\ttab\n\n- \ttab in item\n\n1)  x\n",
	"",
}

// TestPlain compares with goldmark, given the same extensions.
func TestPlain(t *testing.T) {
	reference := goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList, extension.Footnote,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe()))
	for _, src := range pages {
		var want bytes.Buffer
		if err := reference.Convert([]byte(src), &want); err != nil {
			t.Fatal(err)
		}
		got, err := parse(t, src).HTML(plain{})
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want.String() {
			t.Errorf("%q is drawn\n%s\nwant\n%s", src, got, want.String())
		}
	}
}

// TestFencesRoundTrip writes other lines where a fence says that they go, and
// reads the same lines back.
func TestFencesRoundTrip(t *testing.T) {
	const open = "output {of=x}\n"
	sources := map[string]string{
		"top":           "```" + open + "```\n",
		"filled":        "~~~~" + open + "old\n\nolder\n~~~~\n",
		"list":          "- item\n\n  ```" + open + "  old\n  ```\n- next\n",
		"ordered":       "10. ```" + open + "    old\n    ```\n",
		"quote":         "> ```" + open + "> old\n> ```\n",
		"quote in list": "- > ```" + open + "  > old\n  > ```\n",
		"list in quote": "> - ```" + open + ">   ```\n",
		"container":     "- ::: note\n  ```" + open + "  ```\n  :::\n",
		"indented":      "  ```" + open + "  old\n  ```\n",
		"tab":           "-\t```" + open + "\told\n\t```\n",
	}
	want := "one\n\n  <two> ::: > - \n"
	for name, src := range sources {
		for _, eol := range []string{"\n", "\r\n"} {
			src := strings.ReplaceAll("front\n"+src+"after\n", "\n", eol)
			doc, _ := markdown.Parse("in.md", []byte(src), len("front"+eol))
			if len(doc.Body.Fences) != 1 {
				t.Fatalf("%s: %d fences", name, len(doc.Body.Fences))
			}
			f := doc.Body.Fences[0]
			if got := src[f.Open : f.Open+len(f.Marker)]; got != f.Marker {
				t.Errorf("%s: the marker is at %q, want %q", name, got, f.Marker)
			}
			if rest := src[f.End:]; !strings.Contains(strings.SplitN(rest, "\n", 2)[0], f.Marker) {
				t.Errorf("%s: %q does not begin with the closing line", name, rest)
			}
			var body string
			for line := range strings.Lines(want) {
				body += strings.TrimRight(f.Prefix+strings.TrimSuffix(line, "\n"), " \t") + eol
			}
			// Trailing blanks of a line with text stay.
			body = strings.Replace(body, "> -"+eol, "> - "+eol, 1)
			again, problems := markdown.Parse("in.md", []byte(src[:f.Start]+body+src[f.End:]), len("front"+eol))
			if len(problems) > 0 {
				t.Errorf("%s: problems: %v", name, problems)
			}
			if got := string(again.Body.Fences[0].Body); got != want {
				t.Errorf("%s: reads back as %q, want %q", name, got, want)
			}
		}
	}
}

// live finds what must never be in a page: a script, a handler, a style.
var live = regexp.MustCompile(`(?i)<(script|style|iframe|object|embed|form|link|meta|base|svg|img [^>]*onerror)|<[a-z][^<>]*[\s"'/](on[a-z]+|style)\s*=|(href|src)="\s*(javascript|data|vbscript):`)

// FuzzParse: no input crashes or hangs, every place lies in the file, and
// nothing live gets through.
func FuzzParse(f *testing.F) {
	for _, src := range pages {
		f.Add([]byte(src), 0)
	}
	for _, src := range []string{
		"::: question {#q check=\"a#b\"}\nx\n- A. y\n\n<details><summary>Answer</summary>\n\n**A.** z\n\n</details>\n:::\n",
		"::: steps {analogy=a}\n1. x\n:::\n::: analogy {#a}\n**T.**\n\n|a|b|c|\n|-|-|-|\n|x|y|1|\n:::\n",
		"::: source {#s supports=1}\n[l](https://x)\n> q\n:::\n> [!NOTE]\n> x\n",
		"> - ```output {of=x}\r\n>   y\r\n>   ```\r\n", "<a id=x\fonclick=y>z</a> <kbd title='>' x>\n<!--\n:::\n",
		"<a =x onclick=y>z</a>", "<JAVAsCript:x>0", "# <script>\n{#x style=y}\n## a {#a onclick=b}\n", "\x00\xff<\x00script>", "[x](javascript&colon;y) [y](<JaVa\tscript:z>)",
		"# {{leak.keys}} {#a}\n**{{leak.odd}}**[{{leak.keys}}](x)<kbd>{{leak.odd}}</kbd>\\{{leak.odd}}\n\n<details>\n{{leak.odd}}\n</details>\n",
		"> ```redis {#t}\n> SET a \"\\x00\" 'b\\''\n> BLPOP q 0\n> ```\n", "```go {from=a/b.go func=c}\n```\n```chart {data=a/b.csv x=c y=d}\n```\n",
	} {
		f.Add([]byte(src), 3)
	}
	f.Fuzz(func(t *testing.T, src []byte, start int) {
		start = min(max(start, 0), len(src))
		doc, problems := markdown.ParseWith("in.md", src, start, markdown.Options{Values: recorded})
		lines := bytes.Count(src, []byte("\n")) + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Col < 1 || p.Text == "" {
				t.Errorf("a problem out of the file: %v", p)
			}
		}
		for _, fence := range doc.Body.Fences {
			if fence.Open < start || fence.Start < fence.Open || fence.End < fence.Start || fence.End > len(src) {
				t.Errorf("a fence out of the file: %+v", fence)
			}
		}
		for _, v := range doc.Body.Values {
			line := bytes.SplitAfter(src, []byte("\n"))[v.Pos.Line-1]
			if want := "{{" + v.Example + "." + v.Name + "}}"; !bytes.HasPrefix(line[v.Pos.Col-1:], []byte(want)) {
				t.Errorf("no value at %v", v)
			}
		}
		html, err := doc.HTML(plain{})
		if err != nil {
			t.Fatal(err)
		}
		if found := live.FindString(string(html)); found != "" {
			t.Errorf("%q got through: %s", found, html)
		}
		_ = markdown.Strip(src)
	})
}
