package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/proc"
	"verbatim/internal/record"
	"verbatim/internal/service"
)

// MaxOutput is how many bytes an example may print; more is a problem.
const MaxOutput = 1 << 20

// maxStderr is how much of standard error is kept: it is only shown when a
// run fails.
const maxStderr = 64 << 10

// Attempt is one run of a program.
type Attempt struct {
	Evidence  record.Evidence
	Stderr    []byte
	Result    proc.Result
	Unstarted string // why its program did not run at all
	TooMuch   bool   // it printed more than MaxOutput
	Bad       string // what is wrong with the values or tables it recorded, or with a command
	At        problem.Pos
}

// NotFoundError is returned when the program that runs an example is not installed on
// this machine.
type NotFoundError struct{ Example, Program string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("run example %s: there is no %q on PATH: install it", e.Example, e.Program)
}

// attempt runs e once in a scratch copy of its folder. extra is added to its
// environment: the addresses of its service.
func (p *Pool) attempt(ctx context.Context, e lesson.Example, extra map[string]string) (*Attempt, error) {
	scratch, remove, err := proc.Scratch(cmp.Or(p.Scratch, p.Cache), "run-"+filepath.Base(e.ID))
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", e.ID, err)
	}
	defer remove()
	at := func(name string) string { return filepath.Join(scratch, name) }
	work := at("work")
	for _, dir := range []string{work, at("home"), at("tmp"), at("tables")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, fmt.Errorf("run example %s: %w", e.ID, err)
		}
	}
	if err := copyFolder(p.Root, e.Dir, work); err != nil {
		return nil, fmt.Errorf("run example %s: copy its folder: %w", e.ID, err)
	}
	args := e.Run
	if e.Go {
		args = []string{Binary(p.Cache, e)}
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var out, stderr bytes.Buffer
	var process *proc.Process
	started := make(chan struct{})
	limited := proc.Limit(&out, MaxOutput, func() {
		go func() { <-started; process.Stop() }()
	})
	a := &Attempt{}
	process, err = proc.Start(ctx, proc.Spec{
		SignalFilter: true,
		Args:         args, Dir: work, Env: environment(e, at, extra), Scratch: scratch,
		Stdout: limited, Stderr: proc.Limit(&stderr, maxStderr, nil),
		Timeout: e.Timeout,
	})
	if err != nil {
		return unstarted(e, args[0], err)
	}
	close(started)
	a.Result, err = process.Wait()
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", e.ID, err)
	}
	a.Stderr, a.TooMuch = stderr.Bytes(), limited.Over()
	a.Evidence.Output, a.Evidence.Raw = record.Show(out.Bytes()), record.Digest(out.Bytes())
	if err := a.collect(at("values"), at("tables")); err != nil {
		a.Bad = err.Error()
	}
	return a, nil
}

// unstarted returns an attempt with a problem if a program of the example's own folder
// did not start, which is the author's mistake. For a program on PATH it returns an
// error, because this machine lacks it.
func unstarted(e lesson.Example, program string, err error) (*Attempt, error) {
	var lookup *exec.Error
	var at *fs.PathError // in a scratch folder, which says nothing to an author
	own := !e.Go && strings.Contains(program, "/") && !filepath.IsAbs(program)
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
	switch {
	case own && errors.As(err, &lookup) && errors.As(err, &at):
		return &Attempt{Unstarted: fmt.Sprintf("%s cannot be started: %v", program, at.Err)}, nil
	case own && lookup != nil:
		return &Attempt{Unstarted: fmt.Sprintf("%s cannot be started: %v", program, lookup.Err)}, nil
	case own && errors.Is(err, syscall.ENOEXEC):
		return &Attempt{Unstarted: program + " cannot be started: its first line names no program (#!)"}, nil
	case own && missing:
		return nil, fmt.Errorf("run example %s: the program that the first line of %s names is not here: install it", e.ID, program)
	case missing:
		return nil, &NotFoundError{e.ID, program}
	}
	return nil, fmt.Errorf("run example %s: %w", e.ID, err)
}

// collect reads the values and tables that the program left. It reads through
// os.Root: a link that the program made leads nowhere.
func (a *Attempt) collect(values, tables string) error {
	root, err := os.OpenRoot(filepath.Dir(values))
	if err != nil {
		return err
	}
	defer root.Close()
	src, err := readValues(root, filepath.Base(values))
	if err != nil {
		return err
	}
	if a.Evidence.Values, err = record.ParseValues(src); err != nil {
		return err
	}
	folder, err := root.OpenRoot(filepath.Base(tables))
	if err != nil {
		return err
	}
	defer folder.Close()
	a.Evidence.Tables, err = record.ReadTables(folder.FS())
	return err
}

// transcribe runs the commands of a transcript.
func transcribe(ctx context.Context, redis *service.Redis, e lesson.Example) (*Attempt, error) {
	commands := make([][]string, len(e.Commands))
	for i, c := range e.Commands {
		commands[i] = c.Words
	}
	out, err := redis.Transcript(ctx, commands, e.Timeout)
	a := &Attempt{
		Evidence: record.Evidence{Output: record.Show([]byte(out)), Raw: record.Digest([]byte(out))},
		TooMuch:  len(out) > MaxOutput,
	}
	var failed *service.TranscriptError
	if errors.As(err, &failed) {
		c := e.Commands[failed.Index]
		a.Bad, a.At = fmt.Sprintf("%s: %v", c.Text, failed.Err), c.Pos
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", e.ID, err)
	}
	return a, nil
}

// readValues reads a file that may be missing. It reads no named pipe, which
// would block the build.
func readValues(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("values: not a regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, record.MaxValues+1))
}

// environment is all that an example sees of the user's: PATH. Where to find
// its service, an empty home, and a terminal that shows no colours are ours.
func environment(e lesson.Example, at func(name string) string, extra map[string]string) []string {
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": at("home"), "TMPDIR": at("tmp"),
		"VERBATIM_VALUES": at("values"), "VERBATIM_RECORD": at("tables"),
		"TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb",
	}
	maps.Copy(env, e.Env)
	maps.Copy(env, extra)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// copyFolder copies what an example depends on in its folder. Links that lead
// out of the site are refused by os.Root.
func copyFolder(root, dir, to string) error {
	from, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer from.Close()
	into, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer into.Close()
	return fs.WalkDir(from.FS(), dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || rel == "." {
			return err
		}
		if ignored(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil // a folder is no input: only those that hold a file are there in a run
		}
		if err := into.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
			return err
		}
		return copyFile(from, file, into, rel)
	})
}

func copyFile(from *os.Root, file string, into *os.Root, name string) error {
	src, err := from.Open(file)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", file)
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 { // the only bit that is an input
		mode = 0o755
	}
	dst, err := into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.Close()
		return err
	}
	return dst.Close()
}
