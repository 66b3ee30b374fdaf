package page

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// proof is a claim as templates draw it: a mark, a word, and details in the order
// service, toolchain, date.
type proof struct {
	Mark, Tone, Word string
	Details          []string
	Link, LinkText   string
}

// proofOf returns a claim without a link.
func proofOf(c claim.Claim) proof {
	return proof{Mark: c.Mark, Tone: c.Tone, Word: c.Word, Details: c.Details}
}

// exampleProof returns a claim with a link to the example behind it.
func (s *site) exampleProof(c claim.Claim, root, text string) proof {
	p := proofOf(c)
	if p.Link = s.exampleLink(c.Example, root); p.Link != "" {
		p.LinkText = text
	}
	return p
}

// quotationProof returns the claim of a quotation, with a link to its words in
// the live page.
func quotationProof(c claim.Claim, link string) proof {
	p := proofOf(c)
	if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
		p.Link, p.LinkText = textFragment(link, c.Anchor), "find it in the page"
		if len(c.Anchor) == 0 {
			p.Link, p.LinkText = link, "the page"
		}
	}
	return p
}

// claimKey names one claim of a lesson.
type claimKey struct {
	at   problem.Pos
	kind lesson.EvidenceKind
}

// claimsOf returns the claims of a lesson.
func (s *site) claimsOf(l *lesson.Lesson) []claim.Claim { return claim.Of(l, &s.facts) }

// claimsByPlace returns the claims of a lesson by what shows them.
func claimsByPlace(claims []claim.Claim) map[claimKey]claim.Claim {
	byPlace := make(map[claimKey]claim.Claim, len(claims))
	for _, c := range claims {
		byPlace[claimKey{c.Evidence.Pos, c.Evidence.Kind}] = c
	}
	return byPlace
}

// claimAt returns the claim of a block of this page. A block without evidence gets
// NotRun.
func (t *pageRenderer) claimAt(at problem.Pos, kind lesson.EvidenceKind) claim.Claim {
	c, ok := t.claims[claimKey{at, kind}]
	if !ok {
		c.Row = claim.RowOf(claim.NotRun)
	}
	return c
}

// siteClaims returns every claim of the site: those of its lessons and home page,
// and one for each example, which has a page of its own.
func (s *site) siteClaims() (all []claim.Claim) {
	for id := range s.in.Examples {
		all = append(all, claim.OfExample(id, &s.facts))
	}
	if s.in.Home != nil {
		all = append(all, s.claimsOf(s.in.Home.Lesson)...)
	}
	for _, l := range s.in.Lessons {
		all = append(all, s.claimsOf(l.Lesson)...)
	}
	return all
}

// Counts returns the counts of all claims of the site.
func (s *Site) Counts() claim.Counts { return claim.Count(s.siteClaims(), &s.facts) }

// count is one part of the trust strip.
type count struct {
	Mark, Tone, Proved, Text, Link string
	Brief                          string // all of it in a few words
	Date                           string // 2026-11-29, when Proved is a date
}

// strip sums up claims. The links lead to where the page has its examples and its
// sources.
func (s *site) strip(claims []claim.Claim, examples, sources string) (all []count) {
	n := claim.Count(claims, &s.facts)
	share := func(of claim.Share, proved claim.Row, word, done, link string) {
		if of.Total == 0 {
			return
		}
		r := proved
		if of.Proved < of.Total {
			r = claim.RowOf(claim.NotRun)
		}
		numbers := fmt.Sprintf("%d of %d", of.Proved, of.Total)
		all = append(all, count{
			Mark: r.Mark, Tone: r.Tone, Link: link, Proved: numbers,
			Text: plural(of.Total, word) + " " + done, Brief: numbers + " " + done,
		})
	}
	share(n.Examples, claim.RowOf(claim.Ran), "example", "ran", examples)
	if n.Latest != "" {
		date := count{Proved: claim.ShortDate(n.Latest), Date: n.Latest, Link: examples}
		if len(n.Services) > 0 {
			date.Text = "on " + strings.Join(n.Services, ", ")
			if n.Connected < n.Examples.Proved {
				date.Text = fmt.Sprintf("%d %s", n.Connected, date.Text)
			}
		}
		all = append(all, date)
	}
	share(n.Answers, claim.RowOf(claim.Answer), "answer", "computed", "")
	share(n.Values, claim.RowOf(claim.Ran), "value", "recorded", "")
	for _, t := range n.Quotations {
		r := t.Row()
		all = append(all, count{
			Mark: r.Mark, Tone: r.Tone, Link: sources, Brief: t.Phrase(),
			Proved: t.Phrase(), Text: plural(t.Plain+t.Notes, "quotation"),
		})
	}
	return all
}

// textFragment returns a link that opens a page at a text of it, or at the text
// between two.
func textFragment(link string, anchor []string) string {
	var parts []string
	for _, text := range anchor {
		parts = append(parts, fragmentEscape(text))
	}
	if !strings.Contains(link, "#") {
		link += "#"
	}
	return link + ":~:text=" + strings.Join(parts, ",")
}

// fragmentEscape escapes what has a meaning in a text directive: the hyphen,
// the comma and the ampersand too.
func fragmentEscape(s string) string {
	return strings.NewReplacer("-", "%2D", ",", "%2C", "&", "%26", "+", "%20").Replace(url.QueryEscape(s))
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// longDate returns the date 2026-11-29 as "29 November 2026", and other text
// unchanged.
func longDate(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}
