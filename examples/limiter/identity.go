package limiter

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// An Identity gives the subject on whose behalf a request comes, or nil where it
// cannot tell.
type Identity func(*http.Request) []string

// FirstOf is the first identity that can tell.
func FirstOf(identities ...Identity) Identity {
	return func(r *http.Request) []string {
		for _, id := range identities {
			if subject := id(r); subject != nil {
				return subject
			}
		}
		return nil
	}
}

// ByAPIKey takes the API key in a header: {"key", hash}. The key itself never
// reaches Redis, where others may read key names.
func ByAPIKey(header string) Identity {
	return func(r *http.Request) []string {
		secret := r.Header.Get(header)
		if secret == "" {
			return nil
		}
		sum := sha256.Sum256([]byte(secret))
		return []string{"key", base64.RawURLEncoding.EncodeToString(sum[:16])}
	}
}

// ByUser takes the user that an earlier handler signed in: {"user", name}; "" is
// nobody.
func ByUser(name func(*http.Request) string) Identity {
	return func(r *http.Request) []string {
		if user := name(r); user != "" {
			return []string{"user", user}
		}
		return nil
	}
}

// ByIP takes the client's address, {"ip", address}, an IPv6 address by its /64.
// X-Forwarded-For is believed only as far as it was written by trusted proxies:
// with none, the client is whoever connected.
func ByIP(trusted ...netip.Prefix) Identity {
	return func(r *http.Request) []string {
		addr := ClientIP(r, trusted...)
		if !addr.IsValid() {
			return nil
		}
		return []string{"ip", IPSubject(addr)}
	}
}

// ClientIP is the address nearest to us that no trusted proxy has; the invalid
// address where r.RemoteAddr is none. It reads X-Forwarded-For from its end,
// where our own proxies write, and stops at what it cannot read.
func ClientIP(r *http.Request, trusted ...netip.Prefix) netip.Addr {
	client := parseAddr(r.RemoteAddr)
	if !client.IsValid() || !within(client, trusted) {
		return client
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr := parseAddr(strings.TrimSpace(hop))
		if !addr.IsValid() {
			return client
		}
		client = addr
		if !within(client, trusted) {
			return client
		}
	}
	return client
}

// parseAddr reads an address with or without a port, brackets or a zone.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

func within(addr netip.Addr, prefixes []netip.Prefix) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}
