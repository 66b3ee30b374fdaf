//go:build unix

package site

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verbatim/internal/cputime"
	"verbatim/internal/filetree"
	"verbatim/internal/load"
	"verbatim/internal/publish"
)

// growth is a kind of thing that there may be many of. make returns the work on
// n of them; what make does by itself does not count.
type growth struct {
	name string
	most int // how many there may be; 0 is 8,000
	make func(t *testing.T, n int) func()
}

// TestGrowth: eight times as many of a thing cost at most 32 times as much work
// of the processor, in every stage of a build. Work with the square would cost
// 64 times as much.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	const times, least = 32, 10 * time.Millisecond
	for _, g := range growths() {
		t.Run(g.name, func(t *testing.T) {
			most := g.most
			if most == 0 {
				most = 8000
			}
			few, many := g.make(t, most/8), g.make(t, most)
			base, grown := max(least, work(few)), work(many)
			for range 2 { // a collection of garbage may have fallen on one of them
				if grown <= times*base {
					break
				}
				base, grown = max(base, work(few)), min(grown, work(many))
			}
			t.Logf("%d: %v, %d: %v, %.1f times", most/8, base, most, grown, float64(grown)/float64(base))
			if grown > times*base {
				t.Errorf("%d take %v, %d take %v: more than %d times as much", most/8, base, most, grown, times)
			}
		})
	}
}

// work returns the processor time that f uses.
func work(f func()) time.Duration {
	before := cputime.Used()
	f()
	return cputime.Used() - before
}

func growths() []growth {
	var all []growth
	for _, kinds := range [][]growth{lines(), fronts(), trees(), checks(), quotes(), records(), pictures(), listings()} {
		all = append(all, kinds...)
	}
	return all
}

// grownSite is a growth of what a whole build reads, checks, draws and writes. The
// second build finds what the first wrote, and has to do all again.
func grownSite(name string, files func(n int) map[string]string) growth {
	return growth{name: name, make: func(t *testing.T, n int) func() {
		dir, root := filetree.New(t, files(n))
		root.Close()
		return func() {
			if _, err := Build(t.Context(), Config{Root: dir, Out: filepath.Join(t.TempDir(), "public")}); err != nil {
				t.Fatal(err)
			}
		}
	}}
}

// onePage is a growth of one lesson: what is written n times, with its number for %d.
func onePage(name, before, each, after string) growth {
	return grownSite(name, func(n int) map[string]string {
		return map[string]string{"content/a.md": before + many(n, each) + after, "content/b.md": "# B\n"}
	})
}

func many(n int, each string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(each, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// lines are things of one page.
func lines() []growth {
	return []growth{
		onePage("dead fragments", "# A\n", "\n## Function number %d of the api\n\nSee [x](#section-%d-reference-of-the-api).\n", ""),
		onePage("dead fragments, near", "# A\n", "\n## Function number %d of the api\n\nSee [x](#function-numer-%d-of-the-api).\n", ""),
		onePage("fragments", "# A\n", "\n## Function %d\n\nSee [x](#function-%d).\n", ""),
		onePage("fragments of another page", "# A\n", "\n## Part %d\n\nSee [x](b.md#part-%d).\n", ""),
		onePage("dead links", "# A\n", "\nSee [x](page-%d.md).\n", ""),
		onePage("dead images", "# A\n", "\n![x](picture-%d.png)\n", ""),
		onePage("absolute links", "# A\n", "\nSee [x](/page-%d.md).\n", ""),
		onePage("one long language of code", "# A\n\n```", "m", "\nx\n```\n"),
		onePage("one long key of a code fence", "# A\n\n```go {", "m", "=1}\nx\n```\n"),
		onePage("output of nothing", "# A\n", "\n```output {of=e%d}\n```\n", ""),
		onePage("code of nothing", "# A\n", "\n```go {from=\"e%d/main.go\"}\n```\n", ""),
		onePage("charts of nothing", "# A\n", "\n```chart {data=\"e%d/t.csv\" x=a y=b}\n```\n", ""),
		onePage("sources that are not there", "# A\n", "\n::: source {#s%d}\n[S](https://example.org/%d)\n\n> words\n:::\n", ""),
		onePage("inline quotations of nothing", "# A\n", "\nSay [the words %d](quote:s%d).\n", ""),
		onePage("unknown containers", "# A\n", "\n::: nothing%d\nText.\n:::\n", ""),
		onePage("unknown attributes", "# A\n", "\n::: note {x%d=1}\nText.\n:::\n", ""),
		onePage("notes", "# A\n", "\n::: note {#n%d}\nText.\n:::\n", ""),
		onePage("repeated ids", "# A\n", "\n## Same\n\n::: note {#same}\nText %d.\n:::\n", ""),
		onePage("questions", "# A\n", "\n::: question {#q%d unverified=x}\n**Which?**\n\n- A. this\n- B. that\n- C. those\n\n<details><summary>Answer</summary>\n\n**A.** Yes.\n\n- B. No.\n- C. No.\n\n</details>\n:::\n", ""),
		onePage("questions without an answer", "# A\n", "\n::: question {#q%d}\n**Which?**\n:::\n", ""),
		onePage("exercises", "# A\n", "\n::: exercise {#e%d}\nTry.\n:::\n", ""),
		onePage("tips that ran nothing", "# A\n", "\n::: tip {run=e%d}\nTry.\n:::\n", ""),
		onePage("steps", "# A\n\n::: steps\n", "1. **Step.** Number %d.\n", ":::\n"),
		onePage("analogies of no steps", "# A\n", "\n::: steps {analogy=a%d}\n1. **Step.** One.\n:::\n", ""),
		onePage("words", "# A\n", "word%d is not other%d.\n", ""),
		onePage("one long heading", "# A\n\n## ", "word%d ", "\n\n[x](#word)\n"),
		onePage("long fragments", "# A\n\n## ", "word%d", "\n\n[x](#"+strings.Repeat("word", 9)+")\n"),
		onePage("task lists", "# A\n", "- [ ] one %d\n", ""),
		onePage("mermaid that cannot be drawn", "# A\n", "\n```mermaid\nsequenceDiagram\nnothing %d\n```\n", ""),
	}
}

// fronts are things of one front matter.
func fronts() []growth {
	front := func(name, before, each string) growth {
		return onePage("front matter: "+name, "---\ntitle: A\n"+before, each, "---\n\nText.\n")
	}
	return []growth{
		front("aliases", "aliases:\n", "- old/name-%d\n"),
		front("bad aliases", "aliases:\n", "- http://%d/\n"),
		front("tags", "tags:\n", "- tag %d\n"),
		front("needs", "needs:\n", "- lesson-%d\n"),
		front("related", "related:\n", "- lesson-%d\n"),
		front("unknown keys", "", "key%d: 1\n"),
	}
}

// trees are files and folders.
func trees() []growth {
	gone := growth{name: "files that go", make: func(t *testing.T, n int) func() {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprintf("old/%d.html", i)
		}
		dir, root := filetree.New(t, map[string]string{publish.Manifest: string(publish.FormatManifest(names))})
		_ = dir
		now := make([]string, n)
		for i := range now {
			now[i] = fmt.Sprintf("new/%d.html", i)
		}
		return func() {
			b := &publish.Batch{}
			defer b.Abort()
			if err := b.Complete(root, now); err != nil {
				t.Fatal(err)
			}
		}
	}}
	return []growth{gone,
		grownSite("lessons", func(n int) map[string]string {
			files := map[string]string{"content/index.md": "---\nbase_url: https://example.org/\n---\n\n# C\n\n" + many(n, "- [L %d](l%d.md)\n")}
			for i := range n {
				files[fmt.Sprintf("content/l%d.md", i)] = fmt.Sprintf("---\ntags: [t%d]\nchecked: 2026-11-29\n---\n\n# L %d\n\nWords of %d.\n", i%7, i, i)
			}
			return files
		}),
		grownSite("lessons with a dead link each", func(n int) map[string]string {
			files := map[string]string{}
			for i := range n {
				files[fmt.Sprintf("content/l%d.md", i)] = fmt.Sprintf("# L %d\n\n[x](page-%d.md)\n\n[y](l%d.mdd)\n", i, i, i)
			}
			return files
		}),
		grownSite("files", func(n int) map[string]string {
			files := map[string]string{"content/a.md": "# A\n"}
			for i := range n {
				files[fmt.Sprintf("content/f%d.txt", i)] = "x"
			}
			return files
		}),
		grownSite("folders", func(n int) map[string]string {
			files := map[string]string{"content/a.md": "# A\n"}
			for i := range n {
				files[fmt.Sprintf("content/d%d/f.txt", i)] = "x"
			}
			return files
		}),
		{name: "examples and sources", make: func(t *testing.T, n int) func() {
			files := map[string]string{"content/a.md": "# A\n"}
			for i := range n {
				files[fmt.Sprintf("examples/e%d/example.yaml", i)] = "run: sh x.sh\nnones: 1\n"
				files[fmt.Sprintf("quotes/s%d/source.yaml", i)] = "title: T\nurll: x\n"
			}
			_, root := filetree.New(t, files)
			return func() {
				if _, _, err := load.Site(load.Files(root)); err != nil {
					t.Fatal(err)
				}
			}
		}},
	}
}
