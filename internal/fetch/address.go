package fetch

import (
	"fmt"
	"net/netip"
)

// nonPublic lists the address ranges that are not part of the public internet,
// and those that a gateway may translate into such an address.
var nonPublic = []struct {
	prefix netip.Prefix
	what   string // what an address in the range is or belongs to
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this host"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a provider's network (CGNAT)"},
	{netip.MustParsePrefix("127.0.0.0/8"), "this host"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local network"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private network"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved network"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a network for documentation"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private network"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a network for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a network for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a network for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast group"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved network"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "an IPv4 address in IPv6 form"},
	{netip.MustParsePrefix("::/96"), "this host or an IPv4 address in IPv6 form"},
	{netip.MustParsePrefix("64:ff9b::/96"), "an IPv4 address behind NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "an IPv4 address behind NAT64"},
	{netip.MustParsePrefix("100::/64"), "a reserved network"},
	{netip.MustParsePrefix("2001::/32"), "an IPv4 address behind Teredo"},
	{netip.MustParsePrefix("2001:db8::/32"), "a network for documentation"},
	{netip.MustParsePrefix("2002::/16"), "an IPv4 address behind 6to4"},
	{netip.MustParsePrefix("fc00::/7"), "a private network"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local network"},
	{netip.MustParsePrefix("fec0::/10"), "a private network"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast group"},
}

// checkPublic returns an *AddressError when a is not a public address.
func checkPublic(a netip.Addr) error {
	a = a.WithZone("") // Prefix.Contains is false for every address with a zone
	for _, s := range nonPublic {
		if s.prefix.Contains(a) {
			return &AddressError{fmt.Sprintf("leads to %s, %s; -allow-private permits it", a, s.what)}
		}
	}
	return nil
}
