package lab

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// controlURL is the power over a Redis that a build provides.
type controlURL struct{ base string }

func (c *controlURL) stop(ctx context.Context) error  { return c.post(ctx, "stop") }
func (c *controlURL) start(ctx context.Context) error { return c.post(ctx, "start") }

func (c *controlURL) slow(ctx context.Context, delay time.Duration) error {
	return c.post(ctx, fmt.Sprintf("slow?ms=%d", delay.Milliseconds()))
}

// close does nothing: whoever started the Redis ends it.
func (c *controlURL) close() error { return nil }

// post sends one verb. 204 means that it holds; other answers carry one line
// of text that says why not.
func (c *controlURL) post(ctx context.Context, verb string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+verb, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return nil
	}
	why, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(why)))
}
