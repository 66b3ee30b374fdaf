// Package fetch downloads single web pages for quotecheck. A Fetcher limits size,
// time and redirects, reports an incomplete download as an error, and connects to
// no private address unless the user permits it (protection against server-side
// request forgery).
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
	maxDuration  = 30 * time.Second // of one Get, redirects included
	maxRedirects = 10
	maxHeader    = 1 << 20 // bytes of a response header
	userAgent    = "quotecheck (a quotation checker; fetches single pages when its user asks)"
)

// Fetcher downloads pages over http and https. It sends no cookies, ignores the
// proxy settings of the environment, and opens a new connection for each page.
// MaxBytes must be set.
type Fetcher struct {
	MaxBytes     int64 // size limit of a body after decompression
	AllowPrivate bool  // permit loopback, private and other special addresses

	// For tests only.
	timeout      time.Duration          // 0 means maxDuration
	roots        *x509.CertPool         // nil means the system's certificates
	checkAddress func(netip.Addr) error // nil means checkPublic
}

// Page is a downloaded page.
type Page struct {
	URL         string // the last address after redirects
	ContentType string // the Content-Type header, "" when there is none
	Body        []byte // decompressed
}

// StatusError is returned when a server answers with a status other than 200.
type StatusError struct {
	Code   int
	Status string // "404 Not Found"
	Retry  string // the Retry-After header: seconds or a date, "" when there is none
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

// AddressError is returned when a page must not be fetched from its address or
// from one that it redirects to. Text is the reason; it continues a sentence that
// begins with the address.
type AddressError struct{ Text string }

func (e *AddressError) Error() string { return e.Text }

// Get downloads the page at address. It returns a *StatusError when the server
// answers with a status other than 200, an *AddressError when the address must not
// be fetched, and another error when the server cannot be reached or exceeds a
// limit. The text of each error continues a sentence that begins with the address:
// "is larger than 20 MB".
func (f *Fetcher) Get(ctx context.Context, address string) (*Page, error) {
	limit := f.timeout
	if limit == 0 {
		limit = maxDuration
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
		return nil, explain(ctx, err, limit)
	}
	defer resp.Body.Close()
	return f.read(ctx, resp, limit)
}

// client returns an HTTP client that checks every address it connects to.
func (f *Fetcher) client() *http.Client {
	// The address is checked when the socket connects and not when the name is
	// resolved, because the name may resolve to another address by then (DNS
	// rebinding).
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return &AddressError{"leads to " + address + ", which is no IP address"}
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

// check returns an error when f must not connect to a.
func (f *Fetcher) check(a netip.Addr) error {
	switch {
	case f.AllowPrivate:
		return nil
	case f.checkAddress != nil:
		return f.checkAddress(a)
	}
	return checkPublic(a)
}

// checkURL returns an error when u is not an http or https address of a host that
// f may connect to. An IP address is checked here as it is written, because the
// dialer turns ::ffff:8.8.8.8 into 8.8.8.8.
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

// checkRedirect refuses redirects beyond maxRedirects, from https to http, and to
// addresses that checkURL refuses.
func (f *Fetcher) checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return &AddressError{fmt.Sprintf("redirects more than %d times", maxRedirects)}
	case next.URL.Scheme == "http" && via[len(via)-1].URL.Scheme == "https":
		return &AddressError{"redirects from https to http, to " + next.URL.Redacted()}
	}
	return f.checkURL(next.URL)
}

// read returns the page in a response.
func (f *Fetcher) read(ctx context.Context, resp *http.Response, limit time.Duration) (*Page, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, &StatusError{resp.StatusCode, strings.TrimSpace(resp.Status), resp.Header.Get("Retry-After")}
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, fmt.Errorf("answers in the encoding %q, which was not requested", encoding)
	}
	if resp.ContentLength > f.MaxBytes {
		return nil, f.tooBig()
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, f.MaxBytes+1))
	if err != nil {
		return nil, explain(ctx, err, limit)
	}
	if int64(len(body)) > f.MaxBytes {
		return nil, f.tooBig()
	}
	return &Page{resp.Request.URL.String(), resp.Header.Get("Content-Type"), body}, nil
}

func (f *Fetcher) tooBig() error { return fmt.Errorf("is larger than %d MB", f.MaxBytes>>20) }

// explain returns err in words for a user and without the address, which the
// caller names.
func explain(ctx context.Context, err error, limit time.Duration) error {
	var refused *AddressError
	var failed *url.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("did not answer in full within %s", limit)
	case errors.As(err, &failed):
		err = failed.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("ended before the page was complete")
	}
	return fmt.Errorf("cannot be reached: %w", err)
}
