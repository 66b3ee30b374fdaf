package quotecheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/fetch"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
)

// Drift fetches the live page of each source of c.Args, or of all that lessons
// quote, one after another, and reports the quotations that it no longer contains. It
// changes nothing. A file of a module cannot drift, nor can a page whose address
// is invented.
func Drift(ctx context.Context, c Config) (*Report, error) {
	start := time.Now()
	s, err := open(c)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.known(c.Args); err != nil {
		return nil, err
	}
	r := &Report{}
	looked, gone := 0, 0
	for _, source := range s.input.Sources {
		quotes := s.quotations(source.ID)
		if source.Module != "" || len(quotes) == 0 || len(c.Args) > 0 && !slices.Contains(c.Args, source.ID) {
			continue
		}
		if host, nobodys := reserved(source.URL); nobodys {
			r.Done = append(r.Done, fmt.Sprintf("%s: not looked at: %s is a name that nobody can have", source.ID, host))
			continue
		}
		c.Printer.Progress("fetching %s", source.URL)
		missing := c.look(ctx, source, quotes, r)
		c.Printer.Progress("")
		if ctx.Err() != nil {
			return nil, fmt.Errorf("look for drift: %w", ctx.Err())
		}
		looked++
		gone += missing
	}
	r.Counts = []string{cli.Count(looked, "page"), fmt.Sprintf("%s gone", cli.Count(gone, "quotation"))}
	if r.Unreached > 0 {
		r.Counts = append(r.Counts, fmt.Sprintf("%d not looked at", r.Unreached))
	}
	r.Problems.Sort()
	r.Took = time.Since(start)
	return r, nil
}

// reserved reports whether the top-level domain of an address is reserved for examples
// and tests (RFC 6761). The copy of such an invented page is the original.
func reserved(address string) (host string, nobodys bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	host = u.Hostname()
	top := host[strings.LastIndexByte(host, '.')+1:]
	return host, slices.Contains([]string{"example", "invalid", "test"}, top)
}

// look searches the live page of one source, and counts what is gone.
func (c Config) look(ctx context.Context, source lesson.Source, quotes []lesson.Quote, r *Report) (gone int) {
	at := problem.Pos{File: source.File}
	unreached := func(text string) {
		r.Unreached++
		r.Problems.AddHint(at, "drift", "look at it in a browser", "%s could not be looked at: it %s", source.URL, text)
	}
	g, err := c.download(ctx, source.URL)
	var status *fetch.StatusError
	if errors.As(err, &status) && (status.Code == http.StatusNotFound || status.Code == http.StatusGone) {
		r.Problems.AddHint(at, "drift", "find where it went, or link to an archived copy", "%s %s", source.URL, status)
		return len(quotes)
	}
	if err != nil {
		unreached(err.Error())
		return 0
	}
	page, err := g.read()
	if err != nil {
		unreached(err.Error())
		return 0
	}
	var missing problem.List
	for _, q := range quotes {
		if f := page.Find(q.Text); f.Verdict == quote.NoMatch {
			missing.AddHint(q.Pos, "drift", nearest(f), "is gone from %s%s", g.from, because(f))
		}
	}
	if text := suspect(page); text != "" && len(missing) > 0 {
		unreached(text)
		return 0
	}
	r.Done = append(r.Done, fmt.Sprintf("%s: %d of %s in %s", source.ID, len(quotes)-len(missing), cli.Count(len(quotes), "quotation"), g.from))
	r.Problems = append(r.Problems, missing...)
	return len(missing)
}

// because and nearest explain a quotation without a match.
func because(f quote.Finding) string {
	if len(f.Notes) == 0 {
		return ""
	}
	return " (" + strings.Join(f.Notes, "; ") + ")"
}

func nearest(f quote.Finding) string {
	if f.Diff == "" {
		return ""
	}
	return "nearest, [-only quoted-] {+only there+}:\n" + f.Diff
}
