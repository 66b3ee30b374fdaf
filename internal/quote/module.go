package quote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"verbatim/internal/lesson"
)

// complaint is an author's mistake on its way to becoming a problem.
type complaint struct{ text, hint string }

func (c *complaint) Error() string { return c.text }

// goMod holds the lines of go.mod that a source needs.
type goMod struct {
	Require []struct{ Path, Version string }
	Replace []struct{ Old, New struct{ Path string } }
}

// module is a module in the cache.
type module struct {
	Path, Version, Dir string
	sum                string // of its folder, as go.sum has it: "h1:…"
}

// goDeadline bounds one call of the go command, which may have to download.
const goDeadline = 2 * time.Minute

// openModuleFile opens the file that s names in a module. The module must be
// required by the go.mod that holds for dir and pinned by its go.sum; where it
// is not in the module cache yet it is downloaded. A *complaint is the
// author's to mend, any other error is ours.
func (in Input) openModuleFile(ctx context.Context, s lesson.Source) (io.ReadCloser, error) {
	if !fs.ValidPath(s.Path) {
		return nil, &complaint{fmt.Sprintf("file %q is not a path inside the module", s.Path), ""}
	}
	m, err := in.modules.get(ctx, in.Dir, s.Module)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(m.Dir)
	if err != nil {
		return nil, fmt.Errorf("open module %s: %w", s.Module, err)
	}
	defer root.Close()
	if err := in.checkModule(m, root.FS()); err != nil {
		return nil, err
	}
	f, err := openRegular(root.FS(), s.Path)
	if err != nil {
		return nil, &complaint{fmt.Sprintf("file %q of module %s %s cannot be read: %v", s.Path, s.Module, m.Version, cause(err)), ""}
	}
	return f, nil
}

// pinnedModule finds a module in the cache, checked against go.sum.
func pinnedModule(ctx context.Context, dir, name string) (module, error) {
	var m module
	out, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return m, err
	}
	gomod := strings.TrimSpace(string(out))
	if gomod == "" || gomod == os.DevNull {
		return m, &complaint{fmt.Sprintf("module %s cannot be found: the site has no go.mod", name),
			"a source with \"module:\" needs a go.mod and a go.sum that pin it"}
	}
	// Not "go list -m", which may ask the network about modules that are not
	// in go.mod.
	var mod goMod
	if err := goJSON(ctx, dir, &mod, "mod", "edit", "-json", gomod); err != nil {
		return m, &complaint{fmt.Sprintf("module %s cannot be found: %v", name, err), ""}
	}
	if m.Version, err = mod.version(name); err != nil {
		return m, err
	}
	sums, err := os.ReadFile(strings.TrimSuffix(gomod, ".mod") + ".sum")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("read go.sum: %w", err)
	}
	_, after, ok := strings.Cut("\n"+string(sums), "\n"+name+" "+m.Version+" h1:")
	if !ok {
		return m, &complaint{fmt.Sprintf("module %s %s has no line in go.sum", name, m.Version), "run: go mod tidy"}
	}
	// Also for a module in the cache: this compares its archive with go.sum.
	if err := goJSON(ctx, dir, &m, "mod", "download", "-json", name+"@"+m.Version); err != nil {
		return m, fmt.Errorf("download module %s %s: %w", name, m.Version, err)
	}
	after, _, _ = strings.Cut(after, "\n")
	m.sum = "h1:" + strings.TrimSpace(after)
	return m, nil
}

// version returns the version of a module that go.mod requires.
func (mod goMod) version(name string) (string, error) {
	for _, r := range mod.Replace {
		if r.Old.Path == name {
			return "", &complaint{fmt.Sprintf("module %s is replaced by %s in go.mod, so go.sum does not pin it", name, r.New.Path), ""}
		}
	}
	for _, r := range mod.Require {
		if r.Path == name {
			return r.Version, nil
		}
	}
	return "", &complaint{fmt.Sprintf("module %s is not one that go.mod requires", name), "run: go get " + name}
}

func goJSON(ctx context.Context, dir string, out any, args ...string) error {
	text, err := goCommand(ctx, dir, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// goCommand runs the go command in dir and returns its standard output. It hides
// the user's settings (a workspace, flags), which would change the answer.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, goDeadline)
	defer cancel()
	var out, words bytes.Buffer
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &words
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "PWD="+filepath.Clean(dir))
	c.WaitDelay = time.Second
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("go %s: %w", args[0], ctx.Err())
	case errors.As(err, &exit):
		return nil, fmt.Errorf("go %s: %s", strings.Join(args, " "), bytes.TrimSpace(words.Bytes()))
	case err != nil:
		return nil, fmt.Errorf("run the go command: %w", err)
	}
	return out.Bytes(), nil
}
