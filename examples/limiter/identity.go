package limiter

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// An Identity returns the subject on whose behalf a request comes, or nil if it is
// unknown.
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

// Everyone is one subject for all, {"everyone"}: at the end of FirstOf, all
// clients without another identity share one count.
func Everyone(*http.Request) []string { return []string{"everyone"} }

// ByAPIKey takes the API key in a header: {"key", hash}. The key itself never
// reaches Redis, where others may read key names. Check keys first, or
// charge the address too: a client that invents keys is a new subject with each.
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
// no user.
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
// with none, the client is whoever connected. It returns nil for a
// Unix socket, which has no address.
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
// where our own proxies write, and stops at what it cannot read: so what a
// client wrote in front costs nothing, however long it is.
func ClientIP(r *http.Request, trusted ...netip.Prefix) netip.Addr {
	client := parseAddr(r.RemoteAddr)
	for _, line := range slices.Backward(r.Header.Values("X-Forwarded-For")) {
		for more := true; more; {
			if !within(client, trusted) {
				return client
			}
			var hop string
			line, hop, more = cutLast(line, ',')
			addr := parseAddr(strings.TrimSpace(hop))
			if !addr.IsValid() {
				return client
			}
			client = addr
		}
	}
	return client
}

// parseAddr reads an address with or without a port, brackets or a zone.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	if inner, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(inner, "]") {
		s = strings.TrimSuffix(inner, "]")
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// within says whether one of the prefixes holds an address, which is unmapped:
// prefixes of IPv4 in IPv6 clothing are so too.
func within(addr netip.Addr, prefixes []netip.Prefix) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		return p.Contains(addr)
	})
}
