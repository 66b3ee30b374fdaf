package run

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
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/stamp"
)

// listed is a package in the output of go list.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	SFiles     []string
	HFiles     []string
	SysoFiles  []string
	EmbedFiles []string
	Deps       []string
	Standard   bool
	Module     *struct {
		module.Version
		GoMod   string
		Main    bool
		Replace *module.Version
	}
	Error *struct{ Pos, Err string }
}

// platform is what the go command lists files for, or compiles for.
type platform struct{ os, arch string }

// The inputs of an example are listed for one platform, so that its record is the
// same on every machine. Its program is compiled for the platform that runs it.
var (
	inputPlatform = platform{"linux", "amd64"}
	hostPlatform  = platform{runtime.GOOS, runtime.GOARCH}
)

// environ returns the environment of every go command that lists or compiles
// examples. None uses cgo, whatever the user's settings say: what a C compiler
// reads is no input.
func (p platform) environ() []string {
	return append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOWORK=off", noFlags)
}

// noFlags hides the flags of the user. Empty, it would not hide those that
// go env -w wrote.
const noFlags = "GOFLAGS=-trimpath"

// Compute returns the inputs of each example from scratch. For Go examples it
// asks `go list -deps` in root, the site's folder; an example whose imports
// cannot be resolved is a problem and has no entry.
func (t *Tree) Compute(ctx context.Context, root string, examples []lesson.Example) (map[string]Inputs, problem.List, error) {
	out := map[string]Inputs{}
	var golang []lesson.Example
	for _, e := range examples {
		now, err := t.own(e)
		if err != nil {
			return nil, nil, err
		}
		out[e.ID] = now
		if e.Go {
			golang = append(golang, e)
		}
	}
	if len(golang) == 0 {
		return out, nil, nil
	}
	absolute, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, nil, fmt.Errorf("list imports: %w", err)
	}
	// A file that is saved between the listing and the reading may import other packages.
	for try := 1; ; try++ {
		listedAt := time.Now()
		ps, err := t.addListed(ctx, out, golang, absolute)
		if err != nil {
			return nil, nil, err
		}
		if try == maxListings || t.youngest() < listedAt.Add(-stamp.Margin).UnixNano() {
			return out, ps, nil
		}
	}
}

// maxListings is how often imports are listed while files are being saved. Later
// changes are found by Changed.
const maxListings = 3

// addListed adds to the inputs of each example what it imports. One whose
// imports cannot be resolved is a problem, and loses its entry.
func (t *Tree) addListed(ctx context.Context, out map[string]Inputs, golang []lesson.Example, root string) (ps problem.List, err error) {
	packages, err := goList(ctx, root, golang, inputPlatform)
	if err != nil {
		return nil, err
	}
	for _, e := range golang {
		now, err := t.own(e)
		if err != nil {
			return nil, err
		}
		ok, err := t.addImports(now, e, root, packages, &ps)
		if err != nil {
			return nil, err
		}
		if out[e.ID] = now; !ok {
			delete(out, e.ID)
		}
	}
	return ps, nil
}

// addImports adds what the packages of one example are made of.
func (t *Tree) addImports(now Inputs, e lesson.Example, root string, packages map[string]*listed, ps *problem.List) (bool, error) {
	main := packageIn(packages, filepath.Join(root, filepath.FromSlash(e.Dir)))
	if main == nil {
		ps.AddHint(problem.Pos{File: e.Dir}, "example", "run go mod init in the site's root", "the go command finds no package here")
		return false, nil
	}
	mods, err := t.modules()
	if err != nil {
		return false, err
	}
	mods.addLanguage(now)
	ok := true
	for _, name := range append([]string{main.ImportPath}, main.Deps...) {
		p := packages[name]
		if p == nil || p.Standard {
			continue
		}
		if p.Error != nil {
			ps.Add(placeOf(p.Error.Pos, e.Dir+"/main.go"), "example", "%s", firstLine(p.Error.Err))
			ok = false
			continue
		}
		if err := t.addImport(now, p, root, mods); err != nil {
			return false, err
		}
	}
	return ok, nil
}

// addImport adds what one package is made of: the version of its module, and
// where it is in a folder of the author's, its files.
func (t *Tree) addImport(now Inputs, p *listed, root string, mods *modules) error {
	dir, reachable := t.folderOf(root, p.Dir)
	vendored := reachable && mods.vendored && within(t.ofModule("vendor"), dir)
	if vendored {
		if err := t.addFile(now, t.ofModule(vendorList)); err != nil {
			return err
		}
		return t.addPackage(now, dir)
	}
	ours, inFolder := p.Module == nil || p.Module.Main, false
	if !ours {
		inFolder = p.Module.Replace != nil && p.Module.Replace.Version == ""
		input, digest, found := mods.input(p.Module.Path)
		if !found { // only the go.mod of another module names it
			replacement := ""
			if p.Module.Replace != nil {
				replacement = p.Module.Replace.String()
			}
			input, digest = mods.inputOf(p.Module.Version, replacement)
		}
		now[input] = digest
	}
	var err error
	switch {
	case reachable && (ours || inFolder):
		return t.addPackage(now, dir)
	case ours || inFolder:
		now[replacePrefix+p.ImportPath], err = hashPackage(p)
	}
	return err
}

// folderOf returns a folder's path relative to the site's root, and whether the
// tree holds it.
func (t *Tree) folderOf(root, dir string) (name string, reachable bool) {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", false
	}
	name = filepath.ToSlash(rel)
	_, inTree := t.at(name)
	return name, fs.ValidPath(inTree)
}

func packageIn(packages map[string]*listed, dir string) *listed {
	for _, p := range packages {
		if p.Dir == dir {
			return p
		}
	}
	return nil
}

// hashPackage returns the digest of a package outside the site: of the files that
// it is compiled from, and of its module's go.mod.
func hashPackage(p *listed) (string, error) {
	var all []byte
	add := func(file, name string) error {
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("hash replaced package: %w", err)
		}
		all = append(all, record.Digest(b)+" "+name+"\n"...)
		return nil
	}
	if p.Module != nil && p.Module.GoMod != "" {
		if err := add(p.Module.GoMod, "go.mod"); err != nil {
			return "", err
		}
	}
	for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.SysoFiles, p.EmbedFiles) {
		if err := add(filepath.Join(p.Dir, name), name); err != nil {
			return "", err
		}
	}
	return record.Digest(all), nil
}

// goList returns the packages of examples and all that they import, by import path,
// as the go command lists them for a platform. root is absolute and contains no
// symbolic link, so that the folders of its packages begin with it.
func goList(ctx context.Context, root string, examples []lesson.Example, on platform) (map[string]*listed, error) {
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,SFiles,HFiles,SysoFiles,EmbedFiles,Deps,Standard,Module,Error"}
	for _, e := range examples {
		args = append(args, "./"+path.Clean(e.Dir))
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	// The go command believes PWD, which may be a way to root through a link.
	cmd.Dir, cmd.Env = root, append(on.environ(), "PWD="+root)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("list imports: the go command is not on PATH: install Go to run Go examples")
	}
	if err != nil {
		return nil, fmt.Errorf("list imports: go list: %w: %s", err, firstLine(stderr.String()))
	}
	packages := map[string]*listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := d.Decode(p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("list imports: %w", err)
		}
		packages[p.ImportPath] = p
	}
}

var goPlace = regexp.MustCompile(`^(?:\./)?([^:\s]+\.go):(\d+)(?::(\d+))?`)

// placeOf reads "examples/x/main.go:3:8" as the go command prints it.
func placeOf(s, fallback string) problem.Pos {
	m := goPlace.FindStringSubmatch(filepath.ToSlash(s))
	if m == nil {
		return problem.Pos{File: fallback}
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3])
	return problem.Pos{File: m[1], Line: line, Col: col}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
