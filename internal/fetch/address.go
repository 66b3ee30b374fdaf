package fetch

import (
	"fmt"
	"net/netip"
)

// special are the addresses that are not of the public internet, or that a
// gateway may turn into one that is not.
var special = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this host"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a provider's network (CGNAT)"},
	{netip.MustParsePrefix("127.0.0.0/8"), "this host"},
	{netip.MustParsePrefix("169.254.0.0/16"), "the local link"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private network"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved network"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a network of examples"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private network"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a network of benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a network of examples"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a network of examples"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast group"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved network"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "an IPv4 address in IPv6 form"},
	{netip.MustParsePrefix("::/96"), "this host or an IPv4 address in IPv6 form"},
	{netip.MustParsePrefix("64:ff9b::/96"), "an IPv4 address behind NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "an IPv4 address behind NAT64"},
	{netip.MustParsePrefix("100::/64"), "a reserved network"},
	{netip.MustParsePrefix("2001::/32"), "an IPv4 address behind Teredo"},
	{netip.MustParsePrefix("2001:db8::/32"), "a network of examples"},
	{netip.MustParsePrefix("2002::/16"), "an IPv4 address behind 6to4"},
	{netip.MustParsePrefix("fc00::/7"), "a private network"},
	{netip.MustParsePrefix("fe80::/10"), "the local link"},
	{netip.MustParsePrefix("fec0::/10"), "a private network"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast group"},
}

// public refuses an address that is not of the public internet.
func public(a netip.Addr) error {
	a = a.WithZone("") // no prefix holds an address with a zone
	for _, s := range special {
		if s.prefix.Contains(a) {
			return &AddressError{fmt.Sprintf("leads to %s, %s; -allow-private permits it", a, s.what)}
		}
	}
	return nil
}
