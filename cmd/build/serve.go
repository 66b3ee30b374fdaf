package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"verbatim/internal/cli"
	"verbatim/internal/serve"
)

// besideServe are the flags that mean something while a site is served.
var besideServe = []string{"serve", "C", "redis", "image", "j", "strict", "v"}

// validateServe reads the address, and refuses flags of the work that is left to
// the next build.
func (o *options) validateServe(f *flag.FlagSet) (err error) {
	if o.address == nil {
		return nil
	}
	f.Visit(func(given *flag.Flag) {
		if err == nil && !slices.Contains(besideServe, given.Name) {
			err = &cli.UsageError{Text: fmt.Sprintf("-serve with -%s: serving records, writes and compares nothing: build afterwards", given.Name)}
		}
	})
	if err == nil {
		o.addresses, err = serve.ParseAddress(*o.address)
	}
	return err
}

// serveSite serves until ^C, which is how it is meant to end.
func serveSite(ctx context.Context, o *options) int {
	if err := serve.Run(ctx, o.addresses, o.Config); err != nil && ctx.Err() == nil {
		o.Printer.Printf("%v", err)
		return cli.Code(err)
	}
	return cli.Clean
}
