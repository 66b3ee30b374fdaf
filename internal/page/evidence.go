package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"verbatim/internal/claim"
	"verbatim/internal/lesson"
)

// evidenceView is what the page about the evidence shows.
type evidenceView struct {
	view
	Marks      []claim.Row
	Examples   []listed
	Quotations []listed
	Answers    []listed
	Values     []listed
}

// listed is one claim of a lesson with its state.
type listed struct {
	Text    string // what is claimed, in a few words
	Name    string // of a value: "say.n"
	Quoted  bool   // they are someone else's
	URL     string // of the place where it is proved, "" for none
	Proof   proof
	By      string // what proves it
	Lessons []link // where it is claimed
}

// evidence draws the page that lists every example, quotation and answer.
func (s evidencePage) evidence() ([]byte, error) {
	v := evidenceView{view: s.view("evidence.html")}
	v.Title, v.Description = "Evidence", "Every example, quotation and answer of this site, with its state and what proves it."
	v.Strip, v.Here, v.Marks = s.strip(s.siteClaims(), "", ""), "evidence", claim.Table
	v.Examples = s.exampleClaims()
	if s.in.Home != nil {
		s.listClaims(&v, s.in.Home, "index.html")
	}
	for i := range s.in.Lessons {
		s.listClaims(&v, &s.in.Lessons[i], pagePath(s.in.Lessons[i].ID))
	}
	v.TOC = []entry{{"v-marks", "What the marks mean"}, {"v-examples", "Examples"}, {"v-quotations", "Quotations"}, {"v-answers", "Answers"}, {"v-values", "Values"}}
	return s.execute("evidence.html", v)
}

func (s evidencePage) exampleClaims() (claims []listed) {
	for _, id := range slices.Sorted(maps.Keys(s.in.Examples)) {
		e := s.in.Examples[id]
		c := listed{Text: id, URL: examplePath(id), Proof: proofOf(claim.OfExample(id, &s.facts)), By: e.Title}
		for _, l := range s.uses()[id] {
			c.Lessons = append(c.Lessons, link{URL: pagePath(l.ID), Title: title(l.Lesson)})
		}
		claims = append(claims, c)
	}
	return claims
}

// listClaims lists the quotations and the answers of one page. The answers
// themselves are left out, so that the evidence page spoils no question.
func (s evidencePage) listClaims(v *evidenceView, l *Lesson, page string) {
	for _, c := range s.claimsOf(l.Lesson) {
		at := link{URL: page, Title: title(l.Lesson)}
		if c.Evidence.Container != nil {
			at.URL += fragment(c.Evidence.Container)
		}
		switch c.Evidence.Kind {
		case lesson.EvidenceQuotation:
			v.Quotations = append(v.Quotations, s.listedQuotation(c, at))
		case lesson.EvidenceValue:
			v.Values = s.addValue(v.Values, c, at)
		case lesson.EvidenceAnswer:
			v.Answers = append(v.Answers, listed{
				Text: lastSentence(c.Evidence.Container.Stem), By: c.Evidence.Example,
				Proof: s.exampleProof(c, "", "its files"), Lessons: []link{at},
			})
		}
	}
}

// addValue adds a value to those of the pages before. A page that shows one value
// several times lists it once.
func (s evidencePage) addValue(values []listed, c claim.Claim, at link) []listed {
	name := c.Evidence.Example + "." + c.Evidence.Item
	for i := len(values) - 1; i >= 0 && values[i].Lessons[0] == at; i-- {
		if values[i].Name == name {
			return values
		}
	}
	return append(values, listed{
		Text: s.in.Examples[c.Evidence.Example].Values[c.Evidence.Item], Name: name,
		Proof: s.exampleProof(c, "", "its files"), Lessons: []link{at},
	})
}

func (s evidencePage) listedQuotation(c claim.Claim, at link) listed {
	about := s.in.Sources[c.Evidence.Source]
	url := about.URL
	if c.Evidence.Container != nil {
		url = c.Evidence.Container.URL
	}
	by := []string{about.Publisher, cmp.Or(about.Title, c.Evidence.Source)}
	return listed{
		Text: c.Evidence.Text, Quoted: true, Proof: quotationProof(c, url),
		By:      strings.Join(slices.DeleteFunc(by, func(s string) bool { return s == "" }), ", "),
		Lessons: []link{at},
	}
}

func fragment(c *lesson.Container) string {
	if c.ID == "" {
		return ""
	}
	return "#" + c.ID
}

// lastSentence returns the last sentence of a text: the question without its introduction.
func lastSentence(text string) string {
	cut := strings.TrimRight(text, ".?!")
	if i := strings.LastIndexAny(cut, ".?!"); i >= 0 && strings.HasPrefix(cut[i+1:], " ") {
		return strings.TrimSpace(text[i+1:])
	}
	return text
}
