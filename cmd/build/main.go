// Build renders a site of lessons and proves what they claim.
//
//	go run ./cmd/build [flags]
//
// It runs the examples that are stale, brings the output fences of the lessons
// and the records of the examples up to date, checks links, steps, quotations
// and the course, and writes public/, file by file, only when nothing is wrong.
// Building a site runs its programs as you: build only what you would go test.
//
// The flags are:
//
//	-C dir
//		the site's root: any folder with content/ (default ".")
//	-out dir
//		where the site goes (default public below the root)
//	-check
//		write nothing in the site outside .cache/; run every example again and compare
//		lines, records, fences and public/ byte for byte
//	-rerun
//		run every example, not only the stale ones
//	-run regexp
//		only the examples whose id matches
//	-explain id
//		print why this example is stale or fresh, input by input, and stop
//	-redis auto|container|process|embedded
//		where Redis comes from (default "auto"): a container if a Docker engine
//		answers and has the image or can pull it, else redis-server on PATH,
//		else the embedded emulator, which proves and records nothing
//	-image ref
//		the container image (default: "redis" in the front matter of
//		content/index.md, else redis:7.0.15); the environment's
//		VERBATIM_REDIS_IMAGE replaces the default, for mirrors and closed
//		networks
//	-j n
//		workers (default: one per CPU)
//	-new id
//		start a lesson: content/<id>.md, a program examples/<id>/main.go whose
//		output it shows, and its line in content/index.md; nothing is
//		overwritten, and no other flag goes with it but -C. build then runs the
//		program and fills in what it printed
//	-pdf dir
//		also print each lesson, its worksheet and the whole course to PDF there,
//		with a Chromium from PATH
//	-json
//		problems and events as JSON lines on standard output, nothing else
//		there: {"kind":"problem" or "warning", "file", "line", "col", "text",
//		"check", "hint"}, {"kind":"changed", "text"} for each lesson or record
//		that was rewritten, and at the end {"kind":"summary", "lessons",
//		"examples", "ran", "matched", "quotations", "claims", "problems", "warnings",
//		"service", "seconds"}, where "claims" holds the counts that the pages show
//	-serve addr
//		serve the site from memory to this machine alone (":8080",
//		"localhost:0"), draw again what changes when a file is saved, and reload
//		the open page; the page shows problems too, and stale examples
//		run beside it. It writes nothing in the site outside .cache/: records, fences and
//		public/ are left to the next build. ^C ends it, with exit code 0
//	-strict
//		warnings count as problems
//	-v
//		one line per example with its time
//	-version
//		what this program is
//
// The exit code is 0 when all is well, 1 when an author has something to mend,
// 2 when the command line is wrong and 3 when the work could not be done: a
// Redis was needed and none could be started, or the disk is full. go run turns every
// failure into 1; build the program to tell them apart.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/proc"
	"verbatim/internal/scaffold"
	"verbatim/internal/service"
	"verbatim/internal/site"
)

// source is this file: -h prints its first comment, the manual.
//
//go:embed main.go
var source string

// memoryLimit is the soft memory limit of a build, in bytes, as GOMEMLIMIT. With it a
// first build of 6,000 lessons peaks at 277 MB and without at 325, at no cost; one
// of 10,000 at 322 and 542, for 1.4 times the CPU.
const memoryLimit = 260 << 20

func main() {
	proc.Supervise(service.RemoveContainers)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options are the flags as given.
type options struct {
	site.Config
	only, explain string
	start         *string // the id of a lesson to start, nil for a build
	json, version bool
	address       *string  // where to serve, nil for a build
	addresses     []string // the same, to listen on
}

var kinds = []string{"auto", "container", "process", "embedded"}

func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("build", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Root, "C", ".", "")
	f.StringVar(&o.Out, "out", "", "")
	f.BoolVar(&o.Check, "check", false, "")
	f.BoolVar(&o.Rerun, "rerun", false, "")
	f.StringVar(&o.only, "run", "", "")
	f.StringVar(&o.explain, "explain", "", "")
	f.StringVar(&o.Redis, "redis", "auto", "")
	f.StringVar(&o.Image, "image", "", "")
	f.IntVar(&o.Workers, "j", 0, "")
	f.Func("new", "", func(id string) error { o.start = &id; return nil })
	f.StringVar(&o.PDF, "pdf", "", "also print each lesson, its worksheet and the whole course to PDF there (`dir`)")
	f.BoolVar(&o.json, "json", false, "")
	f.Func("serve", "", func(address string) error { o.address = &address; return nil })
	f.BoolVar(&o.Strict, "strict", false, "")
	f.BoolVar(&o.Verbose, "v", false, "")
	f.BoolVar(&o.version, "version", false, "")
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
	return o, o.validate(f)
}

// validate checks what the flag package cannot.
func (o *options) validate(f *flag.FlagSet) error {
	if f.NArg() > 0 {
		return &cli.UsageError{Text: fmt.Sprintf("unexpected argument %q: flags go before it, and there are only flags", f.Arg(0))}
	}
	if !slices.Contains(kinds, o.Redis) {
		return &cli.UsageError{Text: fmt.Sprintf("-redis %q: choose one of %s", o.Redis, strings.Join(kinds, ", "))}
	}
	if o.PDF != "" && o.Check {
		return &cli.UsageError{Text: "-pdf with -check: a check writes nothing, so build first and then check"}
	}
	if other := o.besideNew(f); other != "" {
		return &cli.UsageError{Text: fmt.Sprintf("-new with -%s: -new builds nothing, so only -C goes with it", other)}
	}
	if o.Workers < 0 {
		return &cli.UsageError{Text: "-j: the number of workers is at least 1"}
	}
	if o.only != "" {
		re, err := regexp.Compile(o.only)
		if err != nil {
			return &cli.UsageError{Text: fmt.Sprintf("-run: %v", err)}
		}
		o.Run = re
	}
	if o.Image == "" {
		o.Image = os.Getenv("VERBATIM_REDIS_IMAGE")
	}
	return o.validateServe(f)
}

// besideNew names a flag that means nothing beside -new, "" when all is well.
func (o *options) besideNew(f *flag.FlagSet) (other string) {
	if o.start == nil {
		return ""
	}
	f.Visit(func(given *flag.Flag) {
		if given.Name != "new" && given.Name != "C" {
			other = given.Name
		}
	})
	return other
}

func run(args []string, stdout io.Writer, stderr *os.File) int {
	printer := cli.NewPrinter("build", stderr)
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, cli.Manual(source))
		return cli.Clean
	case err != nil:
		printer.Printf("%v", err)
		return cli.Code(err)
	case o.version:
		fmt.Fprintln(stdout, version())
		return cli.Clean
	}
	ctx, stop := cli.Interruptible(context.Background())
	defer stop()
	o.Printer = printer
	switch {
	case o.start != nil:
		return startLesson(ctx, o)
	case o.address != nil:
		return serveSite(ctx, o)
	case o.explain != "":
		return explain(ctx, o, stdout)
	}
	if os.Getenv("GOMEMLIMIT") == "" { // the user's own is better
		debug.SetMemoryLimit(memoryLimit)
	}
	report, err := site.Build(ctx, o.Config)
	if err == nil {
		err = o.print(report, stdout)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = interrupted(err)
		}
		printer.Printf("%v", err)
		return cli.Code(err)
	}
	if report.Wrong(o.Strict) {
		return cli.Problems
	}
	return cli.Clean
}

// interrupted says what ^C left undone.
func interrupted(err error) error {
	if printing := (*site.PrintError)(nil); errors.As(err, &printing) {
		return errors.New("interrupted: the site is built, its PDF files are as they were")
	}
	return errors.New("interrupted: nothing was changed")
}

func (o *options) print(r *site.Report, stdout io.Writer) error {
	if o.json {
		if err := site.WriteJSON(cli.JSON(stdout), r); err != nil {
			return err
		}
	} else {
		o.Printer.Problems(r.Problems)
	}
	o.Printer.Annotate(r.Problems)
	for _, changed := range r.Changed {
		o.Printer.Printf("%s", changed)
	}
	o.Printer.Printf("%s", r.Sentence())
	return nil
}

func explain(ctx context.Context, o *options, stdout io.Writer) int {
	text, problems, err := site.Explain(ctx, o.Config, o.explain)
	if err != nil {
		o.Printer.Printf("%v", err)
		return cli.Code(err)
	}
	o.Printer.Problems(problems)
	fmt.Fprint(cli.Printable(stdout), text)
	if len(problems) > 0 {
		return cli.Problems
	}
	return cli.Clean
}

// startLesson makes the lesson that -new names, and says what comes next.
func startLesson(ctx context.Context, o *options) int {
	started, err := scaffold.New(ctx, scaffold.Options{Root: o.Root, Today: o.Today, Printer: o.Printer}, *o.start)
	if err != nil {
		o.Printer.Printf("%v", err)
		return cli.Code(err)
	}
	o.Printer.Problems(started.Problems)
	for _, file := range started.Files {
		o.Printer.Printf("wrote %s", file)
	}
	if len(started.Problems) > 0 {
		return cli.Problems
	}
	if !started.Listed {
		o.Printer.Printf("there is no content/index.md, so the home page lists the lesson by its title")
	}
	o.Printer.Printf("next: build, which runs the program and fills in what it printed; then make the lesson yours, part by part")
	return cli.Clean
}

// version names the program, and the revision it was built from where the go
// command noted one.
func version() string {
	text := "verbatim build"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	if v := info.Main.Version; v != "" {
		text += " " + v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += " " + s.Value
		}
	}
	return text + " " + info.GoVersion
}
