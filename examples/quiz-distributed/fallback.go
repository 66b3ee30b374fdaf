package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"verbatim/examples/lab"
)

// workspaces holds the messages of each connection, in a list for each of the
// four servers. Acme's bot has one connection. Beta's 24
// people have one each, of which 12 lie on one server.
var workspaces = []struct {
	name        string
	connections [4][]int
}{
	{"Acme", [4][]int{{200}}},
	{"Beta", [4][]int{people(12), people(4), people(4), people(4)}},
}

func people(n int) []int {
	each := make([]int, n)
	for i := range each {
		each[i] = 1
	}
	return each
}

// fallback is question 6. Four servers allow a workspace 40 messages a second
// together; one that has lost Redis allows it 10 by itself. A connection stays on
// its server. Redis is lost, and Acme sends 200 messages, Beta 24. How many of
// each are accepted?
func fallback(ctx context.Context, l *lab.Lab) (string, error) {
	var servers [4]*lab.Process
	for i := range servers {
		server, err := l.Serve(ctx, "chat")
		if err != nil {
			return "", err
		}
		servers[i] = server
	}
	clock, err := l.Clock(ctx, "15:00:00")
	if err != nil {
		return "", err
	}
	if _, err := messages(ctx, servers, "Redis runs", clock.Now()); err != nil {
		return "", err
	}
	if err := clock.At(ctx, "15:00:01"); err != nil {
		return "", err
	}
	if err := l.Stop(ctx); err != nil {
		return "", err
	}
	return messages(ctx, servers, "Redis stopped", clock.Now())
}

// messages sends those of one second and returns how many were accepted.
func messages(ctx context.Context, servers [4]*lab.Process, when string, second time.Time) (string, error) {
	answer := ""
	for _, w := range workspaces {
		sum := 0
		for i, connections := range w.connections {
			for _, n := range connections {
				accepted, err := talk(ctx, servers[i].URL, w.name, second, n)
				if err != nil {
					return "", err
				}
				sum += accepted
			}
		}
		if answer != "" {
			answer += ", "
		}
		answer += fmt.Sprint(w.name, " ", sum)
	}
	tell("fallback", "%-15s%s", when, answer)
	return answer, nil
}

// talk sends n messages over one connection and returns how many were accepted.
func talk(ctx context.Context, server, workspace string, second time.Time, n int) (accepted int, err error) {
	dials := 0
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dials++
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	form := url.Values{"workspace": {workspace}, "second": {second.Format(time.RFC3339)}}
	for range n {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/?"+form.Encode(), nil)
		if err != nil {
			return 0, err
		}
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		io.Copy(io.Discard, response.Body) // to the end, so that the connection is used again
		response.Body.Close()
		switch response.StatusCode {
		case http.StatusOK:
			accepted++
		case http.StatusTooManyRequests:
		default:
			return 0, fmt.Errorf("a message was answered %s", response.Status)
		}
	}
	if dials != 1 {
		return 0, fmt.Errorf("%d messages of %s took %d connections, not one", n, workspace, dials)
	}
	return accepted, nil
}
