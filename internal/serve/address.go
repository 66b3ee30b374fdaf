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

// Address reads what -serve is given: ":8080", "localhost:0", "127.0.0.1:8080",
// "[::1]:8080". It gives the addresses to listen on, the first that this
// machine has. Only programs of this machine may ask, so any host but loopback
// is a mistake on the command line.
func Address(flag string) ([]string, error) {
	host, port, err := net.SplitHostPort(flag)
	if err != nil {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-serve %q: write a port, as in -serve :8080", flag)}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-serve %q: a port is a number up to 65535, or 0 for a free one", flag)}
	} else {
		port = strconv.FormatUint(n, 10)
	}
	if host == "" || host == "localhost" {
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}, nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-serve %q: only this machine is served: write localhost, or a loopback address", flag)}
	}
	return []string{net.JoinHostPort(host, port)}, nil
}

// listen listens on the first of the addresses that this machine has.
func listen(ctx context.Context, addresses []string) (net.Listener, error) {
	var config net.ListenConfig
	var first error
	for _, address := range addresses {
		l, err := config.Listen(ctx, "tcp", address)
		switch {
		case err == nil:
			return l, nil
		case errors.Is(err, syscall.EADDRINUSE):
			return nil, fmt.Errorf("serve on %s: the port is taken: end what listens there, or choose another with -serve", address)
		case first == nil:
			first = fmt.Errorf("serve on %s: %w", address, err)
		}
	}
	return nil, first
}

// local tells whether a request's Host names this machine. A page of elsewhere
// whose name was made to point here (DNS rebinding) says another.
func local(host string) bool {
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
