package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"verbatim/internal/lesson"
)

// evidenceView is what the page about the evidence shows.
type evidenceView struct {
	view
	Examples   []claim
	Quotations []claim
	Answers    []claim
}

// claim is one thing that a lesson says is real, with its state.
type claim struct {
	Text    string // what is claimed, in a few words
	Quoted  bool   // they are someone else's
	URL     string // of the place where it is proved, "" for none
	Proof   proof
	By      string // what stands behind it
	Lessons []link // where it is claimed
}

// evidence draws the page that lists every example, quotation and answer.
func (s *site) evidence() ([]byte, error) {
	v := evidenceView{view: s.view("evidence.html")}
	v.Title, v.Description = "Evidence", "Every example, quotation and answer of this site, with its state and what stands behind it."
	v.Strip, v.Here = s.siteCounts(), "evidence"
	v.Examples = s.exampleClaims()
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		v.Quotations = append(v.Quotations, s.quotationClaims(l)...)
		v.Answers = append(v.Answers, s.answerClaims(l)...)
	}
	v.TOC = []entry{{"v-marks", "What the marks mean"}, {"v-examples", "Examples"}, {"v-quotations", "Quotations"}, {"v-answers", "Answers"}}
	return s.execute("evidence.html", v)
}

func (s *site) exampleClaims() (claims []claim) {
	for _, id := range slices.Sorted(maps.Keys(s.in.Examples)) {
		e := s.in.Examples[id]
		c := claim{Text: id, URL: examplePath(id), Proof: exampleProof(e), By: e.Title}
		for _, l := range s.uses()[id] {
			c.Lessons = append(c.Lessons, link{URL: pagePath(l.ID), Title: title(l.Lesson)})
		}
		claims = append(claims, c)
	}
	return claims
}

func (s *site) quotationClaims(l *Lesson) (claims []claim) {
	for _, c := range l.Body.Containers {
		for _, q := range c.Quotes {
			at := link{URL: pagePath(l.ID) + fragment(c), Title: title(l.Lesson)}
			claims = append(claims, s.quotationClaim(q, c.ID, c.URL, at))
		}
	}
	for _, q := range l.Body.Quotes {
		at := link{URL: pagePath(l.ID), Title: title(l.Lesson)}
		claims = append(claims, s.quotationClaim(q.Quote, q.Source, s.in.Sources[q.Source].URL, at))
	}
	return claims
}

func (s *site) quotationClaim(q lesson.Quote, source, url string, at link) claim {
	about := s.in.Sources[source]
	by := []string{about.Publisher, cmp.Or(about.Title, source)}
	return claim{
		Text: q.Text, Quoted: true, Proof: quotationProof(s.state(q), q, about, url),
		By:      strings.Join(slices.DeleteFunc(by, func(s string) bool { return s == "" }), ", "),
		Lessons: []link{at},
	}
}

// answerClaims leaves the answers themselves out, so that the page spoils no
// question.
func (s *site) answerClaims(l *Lesson) (claims []claim) {
	for _, c := range l.Body.Containers {
		p := s.answerProof(c, "")
		if c.Kind != "question" && c.Kind != "predict" || p == nil {
			continue
		}
		by, _, _ := strings.Cut(c.Attr["check"], "#")
		claims = append(claims, claim{
			Text: lastSentence(c.Stem), Proof: *p, By: by,
			Lessons: []link{{URL: pagePath(l.ID) + fragment(c), Title: title(l.Lesson)}},
		})
	}
	return claims
}

func fragment(c *lesson.Container) string {
	if c.ID == "" {
		return ""
	}
	return "#" + c.ID
}

// lastSentence is what a question asks, without what it tells before.
func lastSentence(text string) string {
	cut := strings.TrimRight(text, ".?!")
	if i := strings.LastIndexAny(cut, ".?!"); i >= 0 && strings.HasPrefix(cut[i+1:], " ") {
		return strings.TrimSpace(text[i+1:])
	}
	return text
}
