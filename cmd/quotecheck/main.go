// Quotecheck proves that the quotations of a site's lessons stand, word for
// word, in saved copies of their sources.
//
//	go run ./cmd/quotecheck [flags] [check]
//	go run ./cmd/quotecheck [flags] save source address|file
//	go run ./cmd/quotecheck [flags] seal [source ...]
//	go run ./cmd/quotecheck [flags] drift [source ...]
//
// check, the default, verifies every quotation. The copy of a source is
// quotes/<source>/page.html (or .md, .txt, .mhtml, each also with .gz) where
// its licence lets it be published, else quotes/<source>/private/page.html,
// which git ignores, or <source>.html in the folder that -pages names, or the
// file of a Go module that go.sum pins. Where there is no copy, the seal
// beside source.yaml says what the copy said when it was here.
//
// save fetches the page at an http or https address, or takes a file that a
// browser saved, as the copy of a source, and notes in source.yaml where it
// comes from and when. It follows at most 10 redirects, none from https to
// http, and takes at most 30 seconds and 20 MB. It refuses a page that stands
// before the one that was wanted, one of fewer than 150 words, one that was
// decoded badly, and one that lacks a quotation of the lessons; then it writes
// nothing.
//
// seal writes these seals, quotes/<source>/seal.yaml, for the named sources or
// for all whose copy is here and not published.
//
// Each quotation has one of these states:
//
//	verified    the copy is here, and it is the one that was sealed
//	attested    the copy is not here; the seal agrees with the lesson
//	stale       the quotation, or the contract below, changed since the seal
//	drifted     the copy is here, and it is not the one that was sealed
//	unverified  neither copy nor seal is here, or the words do not stand there
//
// The last three are problems. What is verified or attested with a warning of
// the contract is so "with a note", which the page shows. A source whose
// source.yaml says ours: true is a page of the site's own author, and its
// quotations are counted apart.
//
// The flags are:
//
//	-C dir
//		the site's root: any folder with content/ (default ".")
//	-pages dir
//		a folder of saved pages, each named after its source
//	-require verified|attested
//		the least that every quotation must be (default "attested"); a note
//		is no obstacle
//	-allow-private
//		save and drift may ask servers of the own machine and network
//	-strict
//		warnings count as problems, and with them every note
//	-json
//		one JSON line for each quotation and each problem on standard output,
//		nothing else there
//	-v
//		one line for each quotation
//
// The exit code is 0 when all is well, 1 when an author has something to mend,
// 2 when the command line is wrong and 3 when the work could not be done.
// go run turns every failure into 1; build the program to tell them apart.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/quote"
	"verbatim/internal/quotecheck"
)

// source is this file: -h prints its first comment, the manual.
//
//go:embed main.go
var source string

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command line as given.
type options struct {
	quotecheck.Config
	action             string
	require            string
	strict, json, each bool
}

var requirements = []string{string(quote.Verified), string(quote.Attested)}

// actions are the commands; the first is the default.
var actions = []struct {
	name string
	do   func(context.Context, quotecheck.Config) (*quotecheck.Report, error)
}{
	{"check", quotecheck.Check},
	{"save", quotecheck.Save},
	{"seal", quotecheck.Seal},
	{"drift", quotecheck.Drift},
}

func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("quotecheck", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Root, "C", ".", "")
	f.StringVar(&o.Pages, "pages", "", "")
	f.StringVar(&o.require, "require", string(quote.Attested), "")
	f.BoolVar(&o.AllowPrivate, "allow-private", false, "")
	f.BoolVar(&o.strict, "strict", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.BoolVar(&o.each, "v", false, "")
	return f
}

func parse(args []string) (*options, error) {
	o := &options{}
	f := o.flags()
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, &cli.UsageError{Text: err.Error() + "; -h lists the flags"}
	}
	if !slices.Contains(requirements, o.require) {
		return nil, &cli.UsageError{Text: fmt.Sprintf("-require %q: choose verified or attested", o.require)}
	}
	o.Require = quote.State(o.require)
	o.action = actions[0].name
	if f.NArg() > 0 {
		o.action, o.Args = f.Arg(0), f.Args()[1:]
	}
	return o, o.validate()
}

// validate checks the words after the flags.
func (o *options) validate() error {
	var names []string
	for _, a := range actions {
		names = append(names, a.name)
	}
	if !slices.Contains(names, o.action) {
		return &cli.UsageError{Text: fmt.Sprintf("no command %q: choose one of %s", o.action, strings.Join(names, ", "))}
	}
	for _, arg := range o.Args {
		if strings.HasPrefix(arg, "-") {
			return &cli.UsageError{Text: fmt.Sprintf("unexpected argument %q: flags go before the command", arg)}
		}
	}
	switch {
	case o.action == "check" && len(o.Args) > 0:
		return &cli.UsageError{Text: fmt.Sprintf("unexpected argument %q: check takes none", o.Args[0])}
	case o.action == "save" && len(o.Args) != 2:
		return &cli.UsageError{Text: "save takes two arguments: the id of a source, and an address or a file"}
	}
	return nil
}

func run(args []string, stdout io.Writer, stderr *os.File) int {
	printer := cli.NewPrinter("quotecheck", stderr)
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, cli.Manual(source)+"\n"+quote.Contract)
		return cli.Clean
	}
	if err != nil {
		printer.Printf("%v", err)
		return cli.Code(err)
	}
	ctx, stop := cli.Interruptible(context.Background())
	defer stop()
	o.Printer = printer
	report, err := o.do(ctx)
	if err == nil {
		err = o.print(report, stdout)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		printer.Printf("%v", err)
		return cli.Code(err)
	}
	printer.Printf("%s", report.Sentence())
	return report.Code(o.strict)
}

func (o *options) do(ctx context.Context) (*quotecheck.Report, error) {
	for _, a := range actions {
		if a.name == o.action {
			return a.do(ctx, o.Config)
		}
	}
	panic("validate let the command " + o.action + " pass")
}

// print shows everything but the last line.
func (o *options) print(r *quotecheck.Report, stdout io.Writer) error {
	if o.each || o.action != "check" {
		o.Printer.Print(func(w io.Writer) {
			for _, line := range r.Lines() {
				fmt.Fprintln(w, line)
			}
		})
	}
	o.Printer.Annotate(r.Problems)
	if o.json {
		return r.WriteJSON(cli.JSON(stdout))
	}
	o.Printer.Problems(r.Problems)
	return nil
}
