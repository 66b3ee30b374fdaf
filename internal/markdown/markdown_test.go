package markdown_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
)

// plain is a theme that shows what it was given, one piece a line.
type plain struct{ course bool }

func (plain) Container(b *markdown.Block) (template.HTML, error) {
	var out strings.Builder
	say := func(what string, args ...any) { fmt.Fprintf(&out, "  "+what+"\n", args...) }
	fmt.Fprintf(&out, "(%s %s%s\n", b.Kind, b.ID, b.Label)
	say("body: %s", b.Body)
	if b.Ask != "" {
		say("ask: %s", b.Ask)
	}
	for _, c := range b.Choices {
		say("choice %s key=%t: %s | %s", c.Letter, c.Key, c.HTML, c.Why)
	}
	if b.Why != "" {
		say("why: %s", b.Why)
	}
	for _, f := range b.Folds {
		say("fold %s: %s", f.Title, f.HTML)
	}
	for _, i := range b.Items {
		say("step %d: %s %s", i.N, i.HTML, i.Likes)
	}
	if len(b.Head) > 0 {
		say("head: %s", b.Head)
	}
	for _, l := range b.Lines {
		say("line: %s | %s", l.Said, l.Meant)
	}
	for _, r := range b.RunIns {
		say("run-in %s: %s", r.Label, r.HTML)
	}
	if b.Link != "" {
		say("link: %s", b.Link)
	}
	for _, q := range b.Quoted {
		say("quoted: %s", q.HTML)
	}
	if b.After != "" {
		say("after: %s", b.After)
	}
	out.WriteString(")\n")
	return template.HTML(out.String()), nil
}

func (plain) Output(f *lesson.Fence) (template.HTML, error) {
	return template.HTML("(output of " + f.Of + ")\n"), nil
}

func (plain) Snippet(language string, f *lesson.Fence) (template.HTML, error) {
	return template.HTML(template.HTMLEscapeString("(" + language + " from " + f.From + ")\n")), nil
}

func (plain) Transcript(tr *lesson.Transcript) (template.HTML, error) {
	return template.HTML(template.HTMLEscapeString("(transcript " + tr.ID + ")\n")), nil
}

func (plain) Chart(c *lesson.Chart) (template.HTML, error) {
	return template.HTML(template.HTMLEscapeString("(chart of " + c.Table + ")\n")), nil
}

func (plain) Mermaid(m *lesson.Mermaid) (template.HTML, error) {
	return template.HTML(fmt.Sprintf("(mermaid of %d lines)\n", len(m.Lines))), nil
}

func (plain) Value(v lesson.Value, linked bool) (template.HTML, error) {
	if linked {
		return template.HTML("(plain " + v.Name + ")"), nil
	}
	return template.HTML("(value " + v.Name + ")"), nil
}

func (plain) Code(language, code string) (template.HTML, error) {
	class := ""
	if language != "" {
		class = ` class="language-` + template.HTMLEscapeString(language) + `"`
	}
	// As goldmark escapes, which leaves apostrophes alone.
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(code)
	return template.HTML("<pre><code" + class + ">" + text + "</code></pre>\n"), nil
}

func (plain) Table() (before, after template.HTML) { return "", "" }
func (plain) Image(string) (int, int)              { return 0, 0 }

func (p plain) Course(entries []lesson.Entry) (template.HTML, bool, error) {
	if !p.course {
		return "", false, nil
	}
	var out strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&out, "(entry %d %q %s)\n", e.Depth, e.Title, e.Lesson)
	}
	return template.HTML(out.String()), true, nil
}

// TestCases parses in.md of every archive and compares the facts, the problems
// and the pieces that a theme is given.
func TestCases(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		if len(a.Files) == 0 || a.Files[0].Name != "in.md" {
			t.Fatal("the first file is not in.md")
		}
		in := a.Files[0].Data
		got := parseCase(t, in)
		if crlf := parseCase(t, bytes.ReplaceAll(in, []byte("\n"), []byte("\r\n"))); string(crlf[2].Data) != string(got[2].Data) {
			t.Errorf("with CRLF the HTML is\n%s\nwant\n%s", crlf[2].Data, got[2].Data)
		}
		a.Files = append(a.Files[:1], got...)
		return a
	})
}

// recorded is all that was recorded in the world of the cases.
func recorded(example, name string) (string, bool) {
	value, ok := map[string]string{"leak.keys": "1,000", "leak.odd": "<3> & more"}[example+"."+name]
	return value, ok
}

// parseCase returns the expected parts of an archive for its in.md.
func parseCase(t *testing.T, src []byte) []txtar.File {
	t.Helper()
	doc, problems := markdown.ParseWith("in.md", src, 0, markdown.Options{Values: recorded})
	html, err := doc.HTML(plain{course: true})
	if err != nil {
		t.Fatal(err)
	}
	var list bytes.Buffer
	problems.Print(&list)
	return []txtar.File{
		{Name: "problems", Data: list.Bytes()},
		{Name: "facts", Data: facts(t, doc.Body)},
		{Name: "html", Data: []byte(html)},
	}
}

// facts is a body as JSON without what is empty.
func facts(t *testing.T, body lesson.Body) []byte {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(prune(value)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// prune drops what is empty, writes places as line:col, and names a container
// around something instead of repeating it.
func prune(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v["File"] != nil && v["Line"] != nil {
			return fmt.Sprintf("%v:%v", v["Line"], v["Col"])
		}
		for _, key := range []string{"In", "Container"} {
			if in, ok := v[key].(map[string]any); ok {
				v[key] = fmt.Sprintf("%v %v", in["Kind"], in["ID"])
			}
		}
		if v["Shown"] == v["Text"] {
			delete(v, "Shown")
		}
		if v["AnswerShown"] == v["Answer"] {
			delete(v, "AnswerShown")
		}
		for key, part := range v {
			part = prune(part)
			if part == nil || part == "" || part == 0.0 || part == false {
				delete(v, key)
				continue
			}
			v[key] = part
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
		if len(v) == 0 {
			return nil
		}
		return v
	}
	return value
}

// parse fails the test at the first problem that is not a warning.
func parse(t *testing.T, src string) *markdown.Doc {
	t.Helper()
	doc, problems := markdown.Parse("in.md", []byte(src), 0)
	if bad, _ := problems.Count(); bad > 0 {
		t.Fatalf("problems: %v", problems)
	}
	return doc
}

func TestPositionsCountFrontMatter(t *testing.T) {
	front := "\ufeff---\ntitle: x\n---\n"
	src := front + "# Café\n\nSee [x](y.md).\n\n::: note {#n colour=red}\n:::\n"
	doc, problems := markdown.Parse("content/x.md", []byte(src), len(front))
	if got := doc.Body.Links[0].Pos; got != (problem.Pos{File: "content/x.md", Line: 6, Col: 5}) {
		t.Errorf("the link is at %v", got)
	}
	if len(problems) != 1 || problems[0].Pos.String() != "content/x.md:8:14" {
		t.Errorf("problems: %v", problems)
	}
}

func TestDepth(t *testing.T) {
	deep := map[string]string{
		"quotes":     strings.Repeat("> ", 101) + "x\n",
		"lists":      strings.Repeat("- ", 101) + "x\n",
		"containers": strings.Repeat("::: note\n", 101) + strings.Repeat(":::\n", 101),
		"steps": func() (s string) {
			for i := range 101 {
				s += strings.Repeat("  ", i) + "- x\n"
			}
			return s
		}(),
	}
	for name, src := range deep {
		doc, problems := markdown.Parse("in.md", []byte(src), 0)
		if len(problems) != 1 || problems[0].Check != "nesting" {
			t.Errorf("%s: problems: %v", name, problems)
		}
		if html, err := doc.HTML(plain{}); err != nil || html != "" {
			t.Errorf("%s: drawn all the same: %q, %v", name, html, err)
		}
	}
	for name, src := range map[string]string{
		"a break":       strings.Repeat("- ", 200) + "\n",
		"many lists":    strings.Repeat("- a\n  - b\n\ntext\n\n", 200),
		"a fence":       "```\n" + strings.Repeat("> ", 50) + strings.Repeat("- ", 150) + "x\n```\n",
		"99 containers": strings.Repeat("::: note\n", 99) + strings.Repeat(":::\n", 99),
	} {
		if _, problems := markdown.Parse("in.md", []byte(src), 0); len(problems) > 0 {
			t.Errorf("%s: problems: %v", name, problems)
		}
	}
}

func TestStrip(t *testing.T) {
	got := string(markdown.Strip([]byte("# A\r\n\r\n::: note\r\n\r\n**b** <i>c</i>\r\n\r\n:::\r\n")))
	want := "<h1>A</h1>\n<p>::: note</p>\n<p><strong>b</strong> <i>c</i></p>\n<p>:::</p>\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
