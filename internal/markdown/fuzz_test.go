package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// FuzzContainer: whatever stands in a container's braces and between its
// lines, in a list or a quote too, is read and drawn, and nothing live gets
// through. Where the lines between hold no colon, no fence and no comment, the
// container ends where its closing line is.
func FuzzContainer(f *testing.F) {
	for _, kind := range []string{"predict", "summary", "steps", "analogy", "example", "question", "exercise", "tip", "source", "diagram", "note"} {
		f.Add(kind, "#a", "1. x\n2. y\n", "")
		f.Add(kind, `#a check="x#y" supports=1-3`, "**A.** b\n\n- A. b\n\n<details><summary>Answer</summary>\n\n**A.** c\n\n</details>", "- ")
		f.Add(kind, `{`, "|a|b|c|\n|-|-|-|\n|d|e|1,3-2|\n\n**Breaks down when:** x", "> ")
		f.Add(kind, "answered-at=99999999999999999999", "[a](https://b)\n> q\n> \n> \"r\"", "1. ")
	}
	f.Fuzz(func(t *testing.T, kind, attributes, body, prefix string) {
		src := fmt.Sprintf("%s::: %s {%s}\n%s\n:::\n\nafter\n", prefix, kind, attributes, body)
		doc, _ := markdown.ParseWith("in.md", []byte(src), 0, markdown.Options{Values: recorded})
		drawn, err := doc.HTML(plain{})
		if err != nil {
			t.Fatal(err)
		}
		if found := live.FindString(string(drawn)); found != "" {
			t.Errorf("%q got through: %s", found, drawn)
		}
		doc.Sections()
		simple := prefix == "" && kind != "" && !strings.ContainsAny(src[:strings.Index(src, "\n")], "\r") &&
			!strings.ContainsAny(kind+attributes, "\n\r{}") && !strings.ContainsAny(body, ":`~<[\r\x00\t")
		if simple && len(doc.Body.Containers) == 1 && !strings.HasSuffix(strings.TrimSpace(string(drawn)), "<p>after</p>") && strings.TrimSpace(kind) != "" {
			t.Errorf("%q is drawn\n%s", src, drawn)
		}
	})
}

// FuzzFence: whatever a fence says and holds is read and drawn, and a fence
// that build fills says where.
func FuzzFence(f *testing.F) {
	for _, info := range []string{"output {of=x lines=1-2}", `output {of=x match="("}`, "redis {#a}", `go {from="a/b.go" func=c}`,
		"go {from=a region=b}", "chart {data=a/b.csv x=c y=d kind=step}", "mermaid", "text {", "output {of=}"} {
		f.Add(info, "SET a \"\\x00\" 'b'\n", "```", "")
		f.Add(info, "sequenceDiagram\nA->>B: x\ndestroy A\n", "~~~~", "> ")
		f.Add(info, "```\n", "`````", "- ")
	}
	f.Fuzz(func(t *testing.T, info, body, mark, prefix string) {
		src := prefix + mark + info + "\n" + body + "\n" + prefix + mark + "\n"
		doc, problems := markdown.ParseWith("in.md", []byte(src), 0, markdown.Options{Values: recorded})
		drawn, err := doc.HTML(plain{})
		if err != nil {
			t.Fatal(err)
		}
		if found := live.FindString(string(drawn)); found != "" {
			t.Errorf("%q got through: %s", found, drawn)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Col < 1 || p.Text == "" {
				t.Errorf("a problem without a place: %v", p)
			}
		}
		for _, fence := range doc.Body.Fences {
			if fence.Marker == "" || !strings.HasPrefix(src[fence.Open:], fence.Marker) || fence.End < fence.Start {
				t.Errorf("a fence that cannot be filled: %+v", fence)
			}
		}
	})
}
