package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"verbatim/internal/claim"
	"verbatim/internal/quotecheck"
)

// claimant writes random sites whose claims it knows.
type claimant struct {
	*rand.Rand
	dir      string
	examples map[string]bool // that a lesson names, by id
	want     claim.Counts    // but for the quotations
	quoted   int
	notes    int // quotations with a note
	sealed   int // quotations of a sealed page
}

func (c *claimant) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lesson returns a random text: every kind of evidence, each up to twice.
func (c *claimant) lesson(number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Lesson %d\n\n", number)
	id := 0
	example := func() string {
		name := fmt.Sprintf("e%d", c.IntN(3))
		c.examples[name] = true
		return name
	}
	question := func(attrs string) string {
		id++
		return fmt.Sprintf("::: question {#q%d %s}\n\nHow many?\n\n- A. 7 of them\n- B. 8\n- C. 9\n\n<details><summary>Answer</summary>\n\n"+
			"**A.** as it is\n\n- B. no\n- C. no\n\n</details>\n\n:::\n\n", id, attrs)
	}
	for _, piece := range []func() string{
		func() string { return "Plain text.\n\n" },
		func() string { return "```output {of=" + example() + " lines=1}\n```\n\n" },
		func() string { return "```sh {from=\"" + example() + "/run.sh\"}\n```\n\n" },
		func() string { return "```chart {data=\"" + example() + "/t.csv\" x=a y=b}\n```\n\n" },
		func() string { c.want.Values.Total++; return "There are {{" + example() + ".n}}.\n\n" },
		func() string { c.want.Answers.Total++; return question("unverified=\"no run\"") },
		func() string {
			c.want.Answers.Total++
			c.want.Answers.Proved++
			return question("check=\"" + example() + "#n\"")
		},
		func() string { return "::: tip {run=" + example() + "}\n\nTry it.\n\n:::\n\n" },
		func() string { return "::: tip\n\nAdvice.\n\n:::\n\n" },
		func() string { c.quoted++; return "It says that [the bucket holds tokens](quote:book).\n\n" },
		func() string { c.notes++; return "It hides [these words from every reader](quote:book).\n\n" },
		func() string { c.sealed++; return "They said [a private page holds tokens](quote:diary).\n\n" },
		func() string {
			c.quoted += 2
			id++
			return "::: source {#book}\n\n[Book](https://example.org/book)\n\n> the bucket holds tokens\n>\n> every request takes one\n\n:::\n\n"
		},
	} {
		if c.IntN(2) == 0 {
			b.WriteString(piece())
		}
	}
	return b.String()
}

func (c *claimant) site(t *testing.T, lessons int) {
	c.examples = map[string]bool{}
	c.write(t, "quotes/book/source.yaml", "title: Book\nurl: https://example.org/book\nsaved: 2026-11-29\npublish: true\n")
	c.write(t, "quotes/book/page.html", "<!doctype html><html><p>Here the bucket holds tokens. And every request takes one, always.</p><p hidden>It hides these words from every reader.</p></html>")
	list := "# Home\n\n"
	if c.IntN(2) == 0 {
		list = c.lesson(0)
	}
	for i := range lessons {
		c.write(t, fmt.Sprintf("content/l%d.md", i+1), c.lesson(i+1))
		list += fmt.Sprintf("- [Lesson](l%d.md)\n", i+1)
	}
	if c.quoted == 0 {
		list += "\n[the bucket holds tokens](quote:book)\n"
		c.quoted++
	}
	c.write(t, "content/index.md", list)
	c.write(t, "content/draft.md", "---\ndraft: true\n---\n\n# Draft\n\n[every request takes one](quote:book)\n")
	if c.sealed > 0 {
		c.write(t, "quotes/diary/source.yaml", "title: Diary\nurl: https://example.org/diary\nsaved: 2026-11-29\n")
		c.write(t, "quotes/diary/private/page.html", "<!doctype html><html><p>We saw that a private page holds tokens, too.</p></html>")
		if _, err := quotecheck.Seal(t.Context(), quotecheck.Config{Root: c.dir}); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(c.dir, "quotes/diary/private")); err != nil {
			t.Fatal(err)
		}
	}
	for name := range c.examples {
		c.write(t, "examples/"+name+"/example.yaml", "run: sh run.sh\nneeds: none\n")
		c.write(t, "examples/"+name+"/run.sh", "echo one\necho two\necho n=7 >> $VERBATIM_VALUES\nprintf 'a,b\\n1,2\\n2,3\\n' > $VERBATIM_RECORD/t.csv\n")
	}
	c.want.Values.Proved = c.want.Values.Total
	c.want.Examples = claim.Share{Total: len(c.examples), Proved: len(c.examples)}
	c.want.Quotations = []claim.Tally{{State: claim.Verified, Plain: c.quoted, Notes: c.notes}}
	if c.sealed > 0 {
		c.want.Quotations = append(c.want.Quotations, claim.Tally{State: claim.Attested, Plain: c.sealed})
	}
}

var (
	stripPattern = regexp.MustCompile(`(?s)<ul class="strip ui".*?</ul>`)
	tagPattern   = regexp.MustCompile(`<[^>]*>`)
	spaces       = regexp.MustCompile(`\s+`)
)

// stripOf returns the words of a page's strip, without its dates.
func stripOf(t *testing.T, dir, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "public", page))
	if err != nil {
		t.Fatal(err)
	}
	strip := regexp.MustCompile(`<li>.*?<time.*?</li>`).ReplaceAllString(string(stripPattern.Find(data)), "")
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tagPattern.ReplaceAllString(strip, " ")), " "))
}

// words returns what a strip says of n.
func words(n claim.Counts) string {
	var parts []string
	add := func(s claim.Share, word, done string) {
		if s.Total > 0 {
			if s.Total > 1 {
				word += "s"
			}
			parts = append(parts, fmt.Sprintf("%d of %d %s %s", s.Proved, s.Total, word, done))
		}
	}
	add(n.Examples, "example", "ran")
	add(n.Answers, "answer", "computed")
	add(n.Values, "value", "recorded")
	for _, tally := range n.Quotations {
		word := " quotations"
		if tally.Plain+tally.Notes == 1 {
			word = " quotation"
		}
		parts = append(parts, tally.Phrase()+word)
	}
	return strings.Join(parts, " ")
}

// TestCountsAgree builds random sites and compares every count that the site
// shows or reports: the report, its last line, -json, a remembered build, a
// check, the strips of the home page and of the evidence page, and what the
// evidence page lists.
func TestCountsAgree(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := &claimant{Rand: rand.New(rand.NewPCG(seed, 12)), dir: t.TempDir()}
			c.site(t, 1+int(seed%4))
			config := Config{Root: c.dir}
			for _, check := range []bool{false, false, true} {
				config.Check = check
				r, err := Build(t.Context(), config)
				if err != nil || r.Wrong(false) {
					t.Fatal(err, r)
				}
				compareCounts(t, c, r)
			}
		})
	}
}

func compareCounts(t *testing.T, c *claimant, r *Report) {
	t.Helper()
	got := r.Claims
	got.Latest, got.Services = "", nil
	if !reflect.DeepEqual(got, c.want) {
		t.Fatalf("the report counts %+v, the site has %+v", got, c.want)
	}
	if !strings.Contains(r.Sentence(), fmt.Sprintf(", %s of %d quotation", c.want.QuotationPhrase(), c.want.Quoted())) {
		t.Errorf("the last line is %s", r.Sentence())
	}
	var out bytes.Buffer
	if err := WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	var summary struct{ Claims claim.Counts }
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &summary); err != nil || !reflect.DeepEqual(summary.Claims, c.want) {
		t.Errorf("-json says %s (%v)", lines[len(lines)-1], err)
	}
	for _, page := range []string{"index.html", "evidence.html"} {
		if strip := stripOf(t, c.dir, page); strip != words(c.want) {
			t.Errorf("the strip of %s says %q, want %q", page, strip, words(c.want))
		}
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "public", "evidence.html"))
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Count(string(data), `<p class="what">`)
	if want := c.want.Examples.Total + c.want.Answers.Total + c.want.Values.Total + c.want.Quoted(); listed != want {
		t.Errorf("the evidence page lists %d claims, want %d", listed, want)
	}
}
