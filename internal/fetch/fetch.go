// Package fetch promises that a page comes whole from where it says, within
// its limits, and that no address inside the user's own network is asked
// unless the user allows it.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	deadline     = 30 * time.Second // for one page, redirects included
	maxRedirects = 10
	maxHeader    = 1 << 20 // bytes
	userAgent    = "quotecheck (a quotation checker; fetches single pages when its user asks)"
)

// Fetcher fetches pages: no cookies, no proxy from the environment, http and
// https only. It keeps no connection open between two pages. The zero Fetcher
// needs a MaxBytes.
type Fetcher struct {
	MaxBytes     int64 // of a body after decompression
	AllowPrivate bool  // also loopback, private and other special addresses

	timeout time.Duration          // tests only; 0 is deadline
	roots   *x509.CertPool         // tests only; nil is the system's
	permits func(netip.Addr) error // tests only; nil is public
}

// Page is what an address answered.
type Page struct {
	URL         string // after redirects, as asked
	ContentType string // as declared, "" where it is not
	Body        []byte // decompressed
}

// StatusError is an answer that is no page: 404 Not Found.
type StatusError struct {
	Code   int
	Status string // "404 Not Found"
	Retry  string // what Retry-After says, "" where it says nothing
}

func (e *StatusError) Error() string {
	switch {
	case e.Retry != "" && strings.Trim(e.Retry, "0123456789") == "":
		return "answers " + e.Status + ": try again in " + e.Retry + " seconds"
	case e.Retry != "":
		return "answers " + e.Status + ": try again after " + e.Retry
	}
	return "answers " + e.Status
}

// AddressError says why an address is not one that a page is fetched from.
type AddressError struct{ Text string }

func (e *AddressError) Error() string { return e.Text }

// Get fetches the page at address. The error, in words that go on after the
// address, is a *StatusError where a server answered without a page, an
// *AddressError where none may be asked, and any other where none answered, or
// not within the limits.
func (f *Fetcher) Get(ctx context.Context, address string) (*Page, error) {
	limit := f.timeout
	if limit == 0 {
		limit = deadline
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &AddressError{"is not an address"}
	}
	if err := f.checkURL(req.URL); err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9")
	client := f.client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, inWords(ctx, err, limit)
	}
	defer resp.Body.Close()
	return f.read(ctx, resp, limit)
}

func (f *Fetcher) client() *http.Client {
	// As the socket connects and not as the name is looked up: what a name
	// stands for may change between the two.
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return &AddressError{"leads to " + address + ", which is no internet address"}
		}
		return f.check(at.Addr())
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: f.roots, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: f.checkRedirect,
	}
}

// check refuses the address of a server that may not be asked.
func (f *Fetcher) check(a netip.Addr) error {
	switch {
	case f.AllowPrivate:
		return nil
	case f.permits != nil:
		return f.permits(a)
	}
	return public(a)
}

// checkURL refuses what is no plain web address. A host that is a number is
// checked as it is written: the dialer takes ::ffff:8.8.8.8 for 8.8.8.8.
func (f *Fetcher) checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return &AddressError{fmt.Sprintf("leads to a %s: address; only http and https are fetched", u.Scheme)}
	case u.Hostname() == "":
		return &AddressError{"names no host"}
	case u.User != nil:
		return &AddressError{"holds a user name or a password, which would be recorded"}
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return f.check(a)
	}
	return nil
}

func (f *Fetcher) checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return &AddressError{fmt.Sprintf("redirects more than %d times", maxRedirects)}
	case next.URL.Scheme == "http" && via[len(via)-1].URL.Scheme == "https":
		return &AddressError{"redirects from https to http, to " + next.URL.Redacted()}
	}
	return f.checkURL(next.URL)
}

// read takes the body of an answer that is a page.
func (f *Fetcher) read(ctx context.Context, resp *http.Response, limit time.Duration) (*Page, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, &StatusError{resp.StatusCode, strings.TrimSpace(resp.Status), resp.Header.Get("Retry-After")}
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, fmt.Errorf("answers in the encoding %q, which was not asked for", encoding)
	}
	if resp.ContentLength > f.MaxBytes {
		return nil, f.tooBig()
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, f.MaxBytes+1))
	if err != nil {
		return nil, inWords(ctx, err, limit)
	}
	if int64(len(body)) > f.MaxBytes {
		return nil, f.tooBig()
	}
	return &Page{resp.Request.URL.String(), resp.Header.Get("Content-Type"), body}, nil
}

func (f *Fetcher) tooBig() error { return fmt.Errorf("is larger than %d MB", f.MaxBytes>>20) }

// inWords takes the address off an error, which the caller names, and says
// what a reader can do something about.
func inWords(ctx context.Context, err error, limit time.Duration) error {
	var refused *AddressError
	var whole *url.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("did not answer in full within %s", limit)
	case errors.As(err, &whole):
		err = whole.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("ended before the page was whole")
	}
	return fmt.Errorf("cannot be reached: %w", err)
}
