package page

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"verbatim/internal/lesson"
)

// proof is a mark with its word, and how the claim beside it was proved. The
// order of what it says is always the same: service, toolchain, date.
type proof struct {
	Mark, Tone, Word string
	Says             []string
	Link, LinkText   string
}

// states is how each state of a quotation looks. Green is for what is proved
// by something in the repository itself.
var states = map[string]proof{
	"verified":   {Mark: "full", Tone: "ok", Word: "verified"},
	"attested":   {Mark: "half", Word: "attested"},
	"stale":      {Mark: "old", Tone: "warn", Word: "stale"},
	"drifted":    {Mark: "old", Tone: "warn", Word: "drifted"},
	"unverified": {Mark: "none", Tone: "warn", Word: "unverified"},
}

var (
	ran    = proof{Mark: "full", Tone: "ok", Word: "RAN"}
	notRun = proof{Mark: "none", Tone: "warn", Word: "NOT RUN"}
)

// quotationProof says how a quotation is known to stand in its source.
func quotationProof(state string, q lesson.Quote, s lesson.Source, link string) proof {
	p, ok := states[state]
	if !ok {
		p = states["unverified"]
	}
	switch {
	case p.Word == "verified" && s.Module != "":
		p.Says = []string{"word for word in " + s.Path + " of " + s.Module, "pinned by go.sum"}
	case p.Word == "verified":
		p.Says = []string{"word for word in " + savedCopy(s)}
	case p.Word == "attested":
		p.Says = []string{"a seal vouches for " + savedCopy(s), "that page may not be published here"}
	}
	if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
		p.Link, p.LinkText = textFragment(link, q.Text), "find it in the page"
	}
	return p
}

func savedCopy(s lesson.Source) string {
	if s.Saved == "" {
		return "the saved copy"
	}
	return "the copy saved " + shortDate(s.Saved)
}

// textFragment makes a link that opens a page at the quoted words.
func textFragment(link, text string) string {
	words := strings.Fields(text)
	directive := fragmentEscape(strings.Join(words, " "))
	if len(words) > 10 {
		directive = fragmentEscape(strings.Join(words[:5], " ")) + "," +
			fragmentEscape(strings.Join(words[len(words)-5:], " "))
	}
	if !strings.Contains(link, "#") {
		link += "#"
	}
	return link + ":~:text=" + directive
}

// fragmentEscape escapes what has a meaning in a text directive: the hyphen,
// the comma and the ampersand too.
func fragmentEscape(s string) string {
	return strings.NewReplacer("-", "%2D", ",", "%2C", "&", "%26", "+", "%20").Replace(url.QueryEscape(s))
}

// exampleProof says on what an example ran.
func exampleProof(e Example) proof {
	if !e.Ran {
		return notRun
	}
	p := ran
	if e.Service != "" {
		p.Says = append(p.Says, e.Service)
	}
	if e.Go != "" {
		p.Says = append(p.Says, fmt.Sprintf("Go %s, exit %d", strings.TrimPrefix(e.Go, "go"), e.Exit))
	}
	if e.Date != "" {
		p.Says = append(p.Says, shortDate(e.Date))
	}
	return p
}

// tipProof says whether the example behind a tip ran.
func tipProof(id string, e Example) proof {
	switch {
	case id == "":
		p := notRun
		p.Says = []string{"advice; no example tries it"}
		return p
	case !e.Ran:
		p := notRun
		p.Says = []string{"as part of " + id}
		return p
	}
	p := ran
	p.Says = []string{"as part of " + id}
	if e.Date != "" {
		p.Says = append(p.Says, shortDate(e.Date))
	}
	return p
}

// answerProof says what stands behind the answer of a question; nil for an
// open one without a check, which claims nothing.
func (s *site) answerProof(c *lesson.Container, root string) *proof {
	id, _, _ := strings.Cut(c.Attr["check"], "#")
	if c.Key == "" && id == "" {
		return nil
	}
	if e := s.in.Examples[id]; e.Ran {
		p := exampleProof(e)
		p.Says = append([]string{"computed by " + id}, p.Says...)
		p.Link, p.LinkText = s.exampleLink(id, root), "its files"
		return &p
	}
	p := states["unverified"]
	p.Says = []string{cmp.Or(c.Attr["unverified"], "no run proves this answer yet")}
	return &p
}

// count is one part of the trust strip.
type count struct {
	Mark, Tone, Proved, Text, Link string
	Brief                          string // all of it in a few words
	Date                           string // 2026-11-29, when Proved is a date
}

// counts sums up what is proved on a page.
func (s *site) counts(body *lesson.Body, firstExample, firstSource string) []count {
	all := s.exampleCounts(body, firstExample)
	found := map[string]int{}
	for _, c := range body.Containers {
		for _, q := range c.Quotes {
			found[s.state(q)]++
		}
	}
	for _, q := range body.Quotes {
		found[s.state(q.Quote)]++
	}
	for _, word := range []string{"verified", "attested", "stale", "drifted", "unverified"} {
		if n := found[word]; n > 0 {
			p := states[word]
			all = append(all, count{
				Mark: p.Mark, Tone: p.Tone, Link: firstSource, Brief: fmt.Sprintf("%d %s", n, word),
				Proved: fmt.Sprintf("%d %s", n, word), Text: plural(n, "quotation"),
			})
		}
	}
	return all
}

func (s *site) exampleCounts(body *lesson.Body, link string) (all []count) {
	var ids, dates, services []string
	done := 0
	for _, f := range body.Fences {
		e, name := s.example(&f)
		if f.Of == "" || slices.Contains(ids, name) {
			continue
		}
		ids = append(ids, name)
		if !e.Ran {
			continue
		}
		done++
		dates = append(dates, e.Date)
		if e.Service != "" && !slices.Contains(services, e.Service) {
			services = append(services, e.Service)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	p := ran
	if done < len(ids) {
		p = notRun
	}
	all = append(all, count{
		Mark: p.Mark, Tone: p.Tone, Link: link, Brief: fmt.Sprintf("%d of %d ran", done, len(ids)),
		Proved: fmt.Sprintf("%d of %d", done, len(ids)), Text: plural(len(ids), "example") + " ran",
	})
	if done > 0 {
		slices.Sort(services)
		latest := slices.Max(dates)
		date := count{Proved: shortDate(latest), Date: latest, Link: link}
		if len(services) > 0 {
			date.Text = "on " + strings.Join(services, ", ")
		}
		all = append(all, date)
	}
	return all
}

// state is a quotation's state, "unverified" when nobody looked.
func (s *site) state(q lesson.Quote) string {
	if state := s.in.States[q.Pos]; states[state].Word != "" {
		return state
	}
	return "unverified"
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// shortDate and longDate turn 2026-11-29 into words; what is no date stays.
func shortDate(date string) string { return dateAs(date, "2 Jan 2006") }
func longDate(date string) string  { return dateAs(date, "2 January 2006") }

func dateAs(date, layout string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format(layout)
}
