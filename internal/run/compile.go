package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// Binary is where Compile puts an example's program, below the cache folder.
func Binary(cache string, e lesson.Example) string {
	return filepath.Join(binFolder(cache, path.Dir(e.ID)), path.Base(e.ID))
}

// binFolder keeps the examples of a folder apart from an example that has the
// folder's name.
func binFolder(cache, folder string) string {
	if folder == "." {
		return filepath.Join(cache, "bin")
	}
	return filepath.Join(cache, "bin", "_"+url.PathEscape(folder)) // a/b is not a_b
}

// Compile builds the Go examples among examples, all in one go build per
// parent folder, into cache. One that does not compile is a problem at its
// line and is left out of the result; the others are compiled all the same.
func Compile(ctx context.Context, root, cache string, examples []lesson.Example) (map[string]bool, problem.List, error) {
	compiled := map[string]bool{}
	byFolder := map[string][]lesson.Example{}
	for _, e := range examples {
		if e.Go {
			byFolder[path.Dir(e.ID)] = append(byFolder[path.Dir(e.ID)], e)
		}
	}
	var ps problem.List
	for folder, group := range byFolder {
		out := binFolder(cache, folder)
		if err := os.MkdirAll(out, 0o755); err != nil {
			return nil, nil, fmt.Errorf("compile examples: %w", err)
		}
		output, err := goBuild(ctx, root, out, group)
		if err == nil {
			for _, e := range group {
				compiled[e.ID] = true
			}
			continue
		}
		if ctx.Err() != nil || errors.Is(err, exec.ErrNotFound) {
			return nil, nil, fmt.Errorf("compile examples: %w", err)
		}
		if line := machineFault(output); line != "" {
			return nil, nil, fmt.Errorf("compile examples: %s", line)
		}
		// Which of them failed? Those that did not are in the build cache.
		for _, e := range group {
			output, err := goBuild(ctx, root, out, []lesson.Example{e})
			if err == nil {
				compiled[e.ID] = true
				continue
			}
			if ctx.Err() != nil {
				return nil, nil, fmt.Errorf("compile examples: %w", ctx.Err())
			}
			if line := machineFault(output); line != "" {
				return nil, nil, fmt.Errorf("compile examples: %s", line)
			}
			compileProblems(&ps, e, output)
		}
	}
	return compiled, ps, nil
}

func goBuild(ctx context.Context, root, out string, examples []lesson.Example) (string, error) {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", out + string(filepath.Separator)}
	for _, e := range examples {
		args = append(args, "./"+path.Clean(e.Dir))
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, hostPlatform.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	return stderr.String(), err
}

// machineFaults are parts of error messages about a fault of this machine, not of
// the author.
var machineFaults = []string{
	syscall.ENOSPC.Error(), syscall.EDQUOT.Error(), syscall.EROFS.Error(), syscall.EIO.Error(), syscall.EFBIG.Error(),
	syscall.ENOMEM.Error(), syscall.EMFILE.Error(), syscall.ENFILE.Error(), syscall.EAGAIN.Error(),
	"signal: killed", "signal: bus error", "signal: file size limit exceeded", "out of memory", "cannot allocate memory",
}

// machineFault returns the line of the go command's output that reports a fault of
// this machine, or "". It ignores lines about a position in a Go file, which may
// quote such words.
func machineFault(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if placeOf(line, "").File != "" {
			continue
		}
		for _, fault := range machineFaults {
			if strings.Contains(line, fault) {
				return line
			}
		}
	}
	return ""
}

// compileProblems turns the compiler's lines into problems. Those without a
// place stand at the example.
func compileProblems(ps *problem.List, e lesson.Example, output string) {
	found := false
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		place := placeOf(line, "")
		if place.File == "" {
			continue
		}
		_, text, _ := strings.Cut(line, ": ")
		ps.Add(place, "compile", "%s", text)
		found = true
	}
	if found {
		return
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(output), "\n"), func(s string) bool {
		return strings.HasPrefix(s, "#")
	})
	ps.Add(problem.Pos{File: e.Dir}, "compile", "does not compile: %s", strings.Join(lines, "; "))
}
