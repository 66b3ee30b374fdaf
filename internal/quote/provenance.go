package quote

import (
	"bytes"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// Provenance is the origin of a saved page by the page's own text.
type Provenance struct {
	URL   string // "" where it does not say
	Saved string // a date, 2026-11-29, "" where it does not say
	By    string // what wrote it: "SingleFile"
}

// singleFile begins the comment that SingleFile writes before the head.
const singleFile = "Page saved with SingleFile"

// readSingleFile looks for SingleFile's comment among the first nodes of a
// page: any later is the page's own text.
func readSingleFile(tree *html.Node) Provenance {
	nodes := []*html.Node{}
	for n := range tree.ChildNodes() {
		nodes = append(nodes, n)
		if n.Type == html.ElementNode {
			for c := range n.ChildNodes() {
				nodes = append(nodes, c)
			}
		}
	}
	for _, n := range nodes {
		text := strings.TrimSpace(n.Data)
		if n.Type == html.CommentNode && strings.HasPrefix(text, singleFile) {
			return singleFileLines(text)
		}
	}
	return Provenance{}
}

// singleFileLines reads the lines "url: …" and "saved date: …" of the comment.
func singleFileLines(comment string) Provenance {
	p := Provenance{By: "SingleFile"}
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch key {
		case "url":
			p.URL = webAddress(value)
		case "saved date":
			p.Saved = scriptDate(value)
		}
	}
	return p
}

// scriptDate reads a date as JavaScript writes it, "Sun Nov 29 2026 18:02:33
// GMT+0100 (Central European Standard Time)": the day where it was saved.
func scriptDate(s string) string {
	words := strings.Fields(s)
	if len(words) < 4 {
		return ""
	}
	t, err := time.Parse("Mon Jan 2 2006", strings.Join(words[:4], " "))
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

// readMailHeader reads what browsers write above an MHTML file.
func readMailHeader(raw []byte) Provenance {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Provenance{}
	}
	p := Provenance{URL: webAddress(m.Header.Get("Snapshot-Content-Location")), By: "a browser, as MHTML"}
	if p.URL == "" {
		p.URL = webAddress(m.Header.Get("Content-Location"))
	}
	if t, err := m.Header.Date(); err == nil {
		p.Saved = t.Format(time.DateOnly)
	}
	return p
}

// webAddress returns s if it is an http address, else "".
func webAddress(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

// Title returns the title of an HTML page, words one space apart; "" where it
// has none.
func (p *Page) Title() string {
	if p.tree == nil {
		return ""
	}
	return exact(goquery.NewDocumentFromNode(p.tree).Find("title").First().Text())
}
