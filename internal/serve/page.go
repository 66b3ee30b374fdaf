package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/problem"
)

var parts = template.Must(template.ParseFS(live, "live/live.html"))

// draw draws one part. What authors and examples wrote is text in it.
func draw(name string, data any) (template.HTML, error) {
	var b strings.Builder
	if err := parts.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("draw %s: %w", name, err)
	}
	return template.HTML(strings.TrimSpace(b.String())), nil
}

// about is what an open page is told about itself.
type about struct {
	Page   string                   `json:"page"`   // the digest of all that only a new load shows
	Styles []string                 `json:"styles"` // its style sheets, each with its digest
	Banner template.HTML            `json:"banner"` // "" when there is nothing to mend
	Said   string                   `json:"said"`   // the same in a few words
	Runs   map[string]template.HTML `json:"runs"`   // by the path of the example's page, "/examples/x.html"
}

// answer gives what a request for a path of the site gets, whole, and tells
// when to ask again.
func (s *stage) answer(name string) (answer, <-chan struct{}, error) {
	a, next := s.find(name)
	if a.data != nil {
		return a, next, nil
	}
	broken, err := draw("broken", bannerOf(name, a))
	a.data = []byte(broken)
	return a, next, err
}

// about tells an open page, asked for as name, about its answer.
func (s *stage) about(name string, a answer) (about, error) {
	now := about{Runs: map[string]template.HTML{}}
	now.Page, now.Styles = s.digests(a)
	var err error
	if b := bannerOf(name, a); b.Said != "" {
		now.Said = b.Said
		if now.Banner, err = draw("banner", b); err != nil {
			return now, err
		}
	}
	for id, r := range a.runs {
		page := "/examples/" + strings.ReplaceAll(id, "#", "/") + ".html"
		if now.Runs[page], err = draw("run", r); err != nil {
			return now, err
		}
	}
	return now, nil
}

// banner is what the banner's template sees.
type banner struct {
	Said, Failure string
	Open, Kept    bool
	Problems      problem.List // those of the page's own file first
}

// bannerOf says what is wrong, "" in Said when nothing is. It is open on pages
// with problems of their own.
func bannerOf(name string, a answer) banner {
	b := banner{Failure: a.failure, Kept: a.kept, Open: a.failure != ""}
	mine := func(p problem.Problem) bool { return slices.Contains(pagesOf(p.File), name) }
	for _, p := range a.problems {
		if mine(p) {
			b.Problems = append(b.Problems, p)
		}
	}
	own := len(b.Problems)
	for _, p := range a.problems {
		if !mine(p) {
			b.Problems = append(b.Problems, p)
		}
	}
	b.Open = b.Open || own > 0
	switch all := len(b.Problems); {
	case a.failure != "":
		b.Said = "the site cannot be drawn"
	case all == 0:
	case own == all:
		b.Said = cli.Count(all, "problem")
	case own == 0:
		b.Said = cli.Count(all, "problem") + ", none on this page"
	default:
		b.Said = fmt.Sprintf("%s, %d on this page", cli.Count(all, "problem"), own)
	}
	return b
}

// stylesheet finds the style sheets of a page, resource all other files that it
// names.
var (
	stylesheet = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)"`)
	resource   = regexp.MustCompile(` (?:src|href)="([^"?#:]+)"`)
)

// digests gives the digest of a page with the files that it shows, and its
// style sheets, each with a digest of its own: those can be changed in place.
func (s *stage) digests(a answer) (page string, styles []string) {
	h := sha256.New()
	fmt.Fprintln(h, a.status)
	rest := stylesheet.ReplaceAllFunc(a.data, func(link []byte) []byte {
		href := string(stylesheet.FindSubmatch(link)[1])
		styles = append(styles, href+"?"+short(s.bytes(a.path, href)))
		return nil
	})
	h.Write(rest)
	for _, m := range resource.FindAllSubmatch(rest, -1) {
		if href := string(m[1]); path.Ext(href) != ".html" {
			h.Write([]byte(short(s.bytes(a.path, href))))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), styles
}

// bytes gives the file that a page names, or nil.
func (s *stage) bytes(page, href string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot == nil {
		return nil
	}
	data, _ := s.snapshot.File(path.Join(path.Dir(page), href))
	return data
}

func short(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

// policy is how pages begin to say what they may load.
var policy = []byte(`<meta http-equiv="Content-Security-Policy" content="`)

// page adds to a page what keeps it fresh, and lets it ask this server for news.
func (s *stage) page(name string, a answer) ([]byte, error) {
	now, err := s.about(name, a)
	if err != nil {
		return nil, err
	}
	tail, err := draw("tail", struct {
		about
		Path, Styles string
	}{now, name, strings.Join(now.Styles, " ")})
	if err != nil {
		return nil, err
	}
	page := bytes.Replace(a.data, policy, append(slices.Clip(policy), "connect-src 'self'; "...), 1)
	at := bytes.LastIndex(page, []byte("</body>"))
	if at < 0 {
		at = len(page)
	}
	return slices.Concat(page[:at], []byte(tail), []byte("\n"), page[at:]), nil
}
