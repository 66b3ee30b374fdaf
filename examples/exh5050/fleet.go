package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"verbatim/examples/lab"
)

// startFleet starts n servers of one kind, each in a process of its own.
func startFleet(ctx context.Context, l *lab.Lab, name string, n int) ([]*lab.Process, error) {
	var servers []*lab.Process
	for range n {
		server, err := l.Serve(ctx, name)
		if err != nil {
			return nil, err
		}
		servers = append(servers, server)
	}
	return servers, nil
}

// signInAll sends one attempt for each account except the ones in caught,
// spread over all servers, which work at the same time.
func signInAll(ctx context.Context, servers []*lab.Process) error {
	failures := make([]error, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() {
			for n := i + 1; n <= accounts && failures[i] == nil; n += len(servers) {
				account := fmt.Sprintf("acct%d", n)
				if !slices.Contains(caught, account) {
					failures[i] = expect(ctx, server, http.StatusOK, url.Values{"account": {account}})
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// killInGap lets a server count one attempt of the account and kills the
// server before its EXPIRE. The client gets no answer.
func killInGap(ctx context.Context, server *lab.Process, account string) error {
	answered := make(chan error, 1)
	go func() {
		_, err := attempt(ctx, server, url.Values{"account": {account}, "crash": {"here"}})
		answered <- err
	}()
	if _, err := server.Report(); err != nil {
		return err
	}
	server.Kill()
	if err := <-answered; err == nil {
		return fmt.Errorf("%s was answered by a server that should have died before", account)
	}
	return nil
}

// attempt sends one sign-in and returns the status of its answer.
func attempt(ctx context.Context, server *lab.Process, form url.Values) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/sign-in?"+form.Encode(), nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	io.Copy(io.Discard, response.Body) // to the end, so that the connection is used again
	response.Body.Close()
	return response.StatusCode, nil
}

// expect sends one sign-in and fails unless its answer has the status.
func expect(ctx context.Context, server *lab.Process, status int, form url.Values) error {
	got, err := attempt(ctx, server, form)
	if err == nil && got != status {
		err = fmt.Errorf("%s: sign-in was answered %d, want %d", form.Get("account"), got, status)
	}
	return err
}
