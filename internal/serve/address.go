package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"verbatim/internal/cli"
)

// ParseAddress returns the addresses for Run from the value of -serve, such as
// ":8080", "localhost:0", "127.0.0.1:8080" or "[::1]:8080". Without a host, and for
// localhost, these are the loopback addresses of IPv4 and IPv6. It returns a
// *cli.UsageError for any other value: only programs on this machine may read the
// site, so the host must be a loopback address.
func ParseAddress(value string) ([]string, error) {
	host, port, err := net.SplitHostPort(value)
	if err != nil {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-serve %q: write a port, as in -serve :8080", value)}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-serve %q: a port is a number up to 65535, or 0 for a free one", value)}
	}
	port = strconv.FormatUint(n, 10)
	if host == "" || host == "localhost" {
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}, nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-serve %q: only this machine is served: write localhost, or a loopback address", value)}
	}
	return []string{net.JoinHostPort(host, port)}, nil
}

// listen returns a listener on the first of the addresses that this machine has.
// It returns an error at once when the port of an address is in use.
func listen(ctx context.Context, addresses []string) (net.Listener, error) {
	var config net.ListenConfig
	var first error
	for _, address := range addresses {
		l, err := config.Listen(ctx, "tcp", address)
		switch {
		case err == nil:
			return l, nil
		case errors.Is(err, syscall.EADDRINUSE):
			return nil, fmt.Errorf("serve on %s: the port is taken: stop the program that listens there, or choose another port with -serve", address)
		case first == nil:
			first = fmt.Errorf("serve on %s: %w", address, err)
		}
	}
	return nil, first
}

// isLocalHost reports whether the Host header of a request names this machine. It
// names another host when a foreign page sends the request through a domain that
// was made to resolve to this machine (DNS rebinding).
func isLocalHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if n := len(name); n > 2 && name[0] == '[' && name[n-1] == ']' {
		name = name[1 : n-1]
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
