package quotecheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/fetch"
	"verbatim/internal/markdown"
	"verbatim/internal/quote"
)

// got is a page as it was obtained, not yet looked at.
type got struct {
	from string // the address after redirects, or the file
	ext  string // ".html", ".html.gz"
	body []byte
}

// read extracts the text. The error goes on after the page's name.
func (g got) read() (*quote.Page, error) {
	return quote.ReadPage("page"+g.ext, bytes.NewReader(g.body), markdown.Strip)
}

// extensions maps the media types that servers declare to file extensions.
var extensions = map[string]string{
	"text/html": ".html", "application/xhtml+xml": ".html",
	"text/markdown": ".md", "text/x-markdown": ".md", "text/plain": ".txt",
	"multipart/related": ".mhtml", "message/rfc822": ".mhtml",
}

// notPage is an answer that cannot be a page: an author must look for another.
type notPage struct{ text string }

func (e *notPage) Error() string { return e.text }

// download fetches the page at address. The error, in words that go on after
// the address, is a *notPage or one of package fetch.
func (c Config) download(ctx context.Context, address string) (got, error) {
	f := fetch.Fetcher{MaxBytes: quote.MaxPage, AllowPrivate: c.AllowPrivate}
	answer, err := f.Get(ctx, address)
	if err != nil {
		return got{}, err
	}
	declared := answer.ContentType
	if declared == "" {
		declared = http.DetectContentType(answer.Body)
	}
	kind, _, err := mime.ParseMediaType(declared)
	ext, known := extensions[kind]
	if err != nil || !known {
		return got{}, &notPage{fmt.Sprintf("is %q, not a page of text", declared)}
	}
	if u, err := url.Parse(answer.URL); err == nil && ext == ".txt" && path.Ext(u.Path) == ".md" {
		ext = ".md"
	}
	body, err := quote.UTF8(answer.Body, declared)
	if err != nil {
		return got{}, &notPage{err.Error()}
	}
	return got{answer.URL, ext, body}, nil
}

// scheme is how an address begins; one letter is a drive.
var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]+:`)

// isAddress reports whether an argument is a URL and not a file. It returns an error
// for a URL with a scheme that is not fetched.
func isAddress(s string) (bool, error) {
	begin := strings.ToLower(scheme.FindString(s))
	switch begin {
	case "":
		return false, nil
	case "http:", "https:":
		return true, nil
	}
	return false, &cli.UsageError{Text: fmt.Sprintf("%s is a %s address: give an http or https address, or the name of a file", s, begin)}
}

// readFile takes the page that lies in a file of the user's.
func readFile(name string) (got, error) {
	base := strings.ToLower(filepath.Base(name))
	zip := ""
	if strings.HasSuffix(base, ".gz") {
		zip, base = ".gz", strings.TrimSuffix(base, ".gz")
	}
	ext := path.Ext(base)
	switch ext {
	case ".htm", ".xhtml":
		ext = ".html"
	case ".mht":
		ext = ".mhtml"
	}
	if !slices.Contains(quote.Extensions, ext) {
		return got{}, &cli.UsageError{Text: fmt.Sprintf("%s: no page ends in %q; choose one of %s, each also with .gz", name, ext, strings.Join(quote.Extensions, ", "))}
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return got{}, &cli.UsageError{Text: fmt.Sprintf("there is no file %s; an address begins with https://", name)}
	}
	if err == nil && !info.Mode().IsRegular() {
		return got{}, &cli.UsageError{Text: name + " is not a regular file"}
	}
	if err != nil {
		return got{}, fmt.Errorf("read the page: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return got{}, fmt.Errorf("read the page: %w", err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, quote.MaxPage+1)) // one more tells that it is too large
	if err != nil {
		return got{}, fmt.Errorf("read the page: %w", err)
	}
	return got{name, ext + zip, body}, nil
}

// The least that passes for a page of its own, in words, and the most that a
// decoder may have failed at, in replacement characters for each character.
const (
	minWords    = 150
	maxReplaced = 1.0 / 500
)

// gates begin the titles of pages that stand before the page that was wanted.
var gates = []string{
	"access denied", "are you a robot", "attention required", "bot verification", "checking your browser",
	"client challenge", "ddos-guard", "human verification", "just a moment", "one moment, please",
	"please verify you are", "robot check", "security check", "vercel security checkpoint",
}

// suspect returns the reason why a page is probably not the one that was wanted, or "".
func suspect(p *quote.Page) string {
	title := strings.ToLower(p.Title())
	for _, gate := range gates {
		if strings.HasPrefix(title, gate) {
			return fmt.Sprintf("is called %q: a bot check, not the page", p.Title())
		}
	}
	text := p.Text()
	if n := strings.Count(text, "\uFFFD"); float64(n) > float64(len([]rune(text)))*maxReplaced {
		return fmt.Sprintf("holds %d characters that could not be decoded (U+FFFD): its charset is wrong", n)
	}
	if n := p.Words(); n < minWords {
		return fmt.Sprintf("has only %d words, less than %d: probably not the page", n, minWords)
	}
	return ""
}
