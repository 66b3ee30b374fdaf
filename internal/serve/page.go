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

var liveTemplates = template.Must(template.ParseFS(liveFiles, "live/live.html"))

// render executes one of the liveTemplates. html/template escapes what authors and
// examples wrote.
func render(name string, data any) (template.HTML, error) {
	var b strings.Builder
	if err := liveTemplates.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("render %s: %w", name, err)
	}
	return template.HTML(strings.TrimSpace(b.String())), nil
}

// pageState is the state of an open page. live.js reads it from the page and from
// events, and reloads the page when Page changes.
type pageState struct {
	Page    string                   `json:"page"`    // hash of everything that only a reload updates
	Styles  []string                 `json:"styles"`  // the style sheets, each with its hash
	Banner  template.HTML            `json:"banner"`  // the problems, "" when there are none
	Summary string                   `json:"summary"` // the banner in a few words
	Runs    map[string]template.HTML `json:"runs"`    // by path of the example's page, "/examples/x.html"
}

// respond returns the response for a path of the site, with an error page in data
// when there is nothing else to send, and a channel that is closed when the
// response may have changed.
func (pub *published) respond(name string) (response, <-chan struct{}, error) {
	r, changed := pub.find(name)
	if r.data != nil {
		return r, changed, nil
	}
	page, err := render("broken", newBanner(name, r))
	r.data = []byte(page)
	return r, changed, err
}

// pageState returns the state of the page that was requested as name.
func (pub *published) pageState(name string, r response) (pageState, error) {
	state := pageState{Runs: map[string]template.HTML{}}
	state.Page, state.Styles = pub.hashes(r)
	var err error
	if b := newBanner(name, r); b.Summary != "" {
		state.Summary = b.Summary
		if state.Banner, err = render("banner", b); err != nil {
			return state, err
		}
	}
	for id, run := range r.runs {
		page := "/examples/" + strings.ReplaceAll(id, "#", "/") + ".html"
		if state.Runs[page], err = render("run", run); err != nil {
			return state, err
		}
	}
	return state, nil
}

// banner is the data of the templates "banner" and "broken".
type banner struct {
	Summary  string // "" when there are no problems
	Failure  string
	Open     bool         // the page's own file has problems, or nothing can be rendered
	Outdated bool         // the page is shown without its newest changes
	Problems problem.List // those of the page's own file first
}

// newBanner returns the banner of the page that was requested as name.
func newBanner(name string, r response) banner {
	b := banner{Failure: r.failure, Outdated: r.outdated}
	isOwn := func(p problem.Problem) bool { return slices.Contains(pagesOf(p.File), name) }
	for _, p := range r.problems {
		if isOwn(p) {
			b.Problems = append(b.Problems, p)
		}
	}
	own := len(b.Problems)
	for _, p := range r.problems {
		if !isOwn(p) {
			b.Problems = append(b.Problems, p)
		}
	}
	b.Open = r.failure != "" || own > 0
	switch all := len(b.Problems); {
	case r.failure != "":
		b.Summary = "the site cannot be rendered"
	case all == 0:
	case own == all:
		b.Summary = cli.Count(all, "problem")
	case own == 0:
		b.Summary = cli.Count(all, "problem") + ", none on this page"
	default:
		b.Summary = fmt.Sprintf("%s, %d on this page", cli.Count(all, "problem"), own)
	}
	return b
}

// styleSheet matches the link of a style sheet, resource the address of any other
// file that a page links to.
var (
	styleSheet = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)"`)
	resource   = regexp.MustCompile(` (?:src|href)="([^"?#:]+)"`)
)

// hashes returns a hash of a page with its scripts and images, and its style
// sheets, each as "name?hash". Style sheets are apart because live.js can replace
// them without a reload.
func (pub *published) hashes(r response) (page string, styles []string) {
	h := sha256.New()
	fmt.Fprintln(h, r.status)
	rest := styleSheet.ReplaceAllFunc(r.data, func(link []byte) []byte {
		href := string(styleSheet.FindSubmatch(link)[1])
		styles = append(styles, href+"?"+shortHash(pub.linkedFile(r.path, href)))
		return nil
	})
	h.Write(rest)
	for _, m := range resource.FindAllSubmatch(rest, -1) {
		if href := string(m[1]); path.Ext(href) != ".html" {
			h.Write([]byte(shortHash(pub.linkedFile(r.path, href))))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), styles
}

// linkedFile returns the file that a page links to as href, or nil.
func (pub *published) linkedFile(page, href string) []byte {
	pub.mu.Lock()
	defer pub.mu.Unlock()
	if pub.snapshot == nil {
		return nil
	}
	data, _ := pub.snapshot.File(path.Join(path.Dir(page), href))
	return data
}

// shortHash returns the first eight hex digits of the SHA-256 of data.
func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

// policyStart is the beginning of a page's content security policy.
var policyStart = []byte(`<meta http-equiv="Content-Security-Policy" content="`)

// livePage returns a page with live.js, its state and the problems added, and with
// a content security policy that permits live.js to request events.
func (pub *published) livePage(name string, r response) ([]byte, error) {
	state, err := pub.pageState(name, r)
	if err != nil {
		return nil, err
	}
	tail, err := render("tail", struct {
		pageState
		Path, Styles string
	}{state, name, strings.Join(state.Styles, " ")})
	if err != nil {
		return nil, err
	}
	page := bytes.Replace(r.data, policyStart, append(slices.Clip(policyStart), "connect-src 'self'; "...), 1)
	end := bytes.LastIndex(page, []byte("</body>"))
	if end < 0 {
		end = len(page)
	}
	return slices.Concat(page[:end], []byte(tail), []byte("\n"), page[end:]), nil
}
