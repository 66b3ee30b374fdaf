package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// layers is the order of the packages: each imports only what stands on an
// earlier line. A new package gets its name on a line here.
var layers = [][]string{
	{"internal/problem", "internal/corpus", "internal/cachedir", "internal/stamp", "internal/cputime", "internal/golden"},
	{"templates", "internal/lesson", "internal/cli", "internal/proc", "internal/svg", "internal/highlight", "internal/yamldoc", "internal/fetch", "internal/pagecache"},
	{"internal/claim", "internal/record", "internal/quote", "internal/service", "internal/markdown", "internal/snippet", "internal/chart", "internal/sequence", "internal/search"},
	{"internal/load", "internal/run", "internal/page", "internal/check"},
	{"internal/publish"},
	{"internal/quotecheck", "internal/scaffold", "internal/pdf"},
	{"internal/site"},
	{"internal/serve"},
	{"cmd/build", "cmd/quotecheck", "internal/browsertest"},
}

// doors says which package alone may import a third-party module. Tests may
// import what they like.
var doors = map[string][]string{
	"internal/golden":    {"github.com/rogpeppe/go-internal"},
	"internal/problem":   {"golang.org/x/text"},
	"internal/yamldoc":   {"go.yaml.in/yaml/v3"},
	"internal/highlight": {"github.com/alecthomas/chroma/v2"},
	"internal/markdown":  {"github.com/yuin/goldmark", "golang.org/x/net", "golang.org/x/text"},
	"internal/check":     {"golang.org/x/text"},
	"internal/quote":     {"github.com/PuerkitoBio/goquery", "golang.org/x/net", "golang.org/x/sync", "golang.org/x/text"},
	"internal/service":   {"github.com/testcontainers/testcontainers-go", "github.com/moby/moby", "github.com/containerd/errdefs", "github.com/alicebob/miniredis/v2"},
	"internal/proc":      {"golang.org/x/sys"},
	"internal/run":       {"golang.org/x/mod", "golang.org/x/sync"},
	"internal/site":      {"golang.org/x/sync"},
	"internal/serve":     {"github.com/fsnotify/fsnotify"},
	"examples/*":         {"github.com/redis/go-redis/v9"},
}

// unwelcome are names that promise nothing.
var unwelcome = []string{"util", "utils", "helper", "helpers", "common", "types", "misc"}

// packageFiles returns the parsed non-test Go files of the repository by folder.
func packageFiles(t *testing.T) map[string][]*ast.File {
	t.Helper()
	files := map[string][]*ast.File{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		if d.IsDir() && name != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if path.Ext(rel) != ".go" || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		files[path.Dir(rel)] = append(files[path.Dir(rel)], f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d packages: is this the repository?", len(files))
	}
	return files
}

// module is the module's path, as go.mod says it: the project may be renamed.
func module(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return modfile.ModulePath(src)
}

func layerOf(dir string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, dir) })
}

func TestLayers(t *testing.T) {
	for dir, files := range packageFiles(t) {
		example := strings.HasPrefix(dir, "examples/")
		layer := layerOf(dir)
		if layer < 0 && !example {
			t.Errorf("%s stands in no layer: name it in layers", dir)
			continue
		}
		for _, imported := range imports(files) {
			local, ok := strings.CutPrefix(imported, module(t)+"/")
			switch {
			case !ok:
			case example && !strings.HasPrefix(local, "examples/"):
				t.Errorf("%s imports %s: an example imports nothing of the builder", dir, local)
			case !example && layerOf(local) >= layer:
				t.Errorf("%s imports %s, which is no lower layer", dir, local)
			}
		}
	}
}

func TestDoors(t *testing.T) {
	for dir, files := range packageFiles(t) {
		for _, imported := range imports(files) {
			first, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imported, module(t)+"/") {
				continue // the standard library, or ours
			}
			if !mayImport(dir, imported) {
				t.Errorf("%s imports %s, which is not its door: see doors", dir, imported)
			}
		}
	}
}

func mayImport(dir, imported string) bool {
	for door, modules := range doors {
		if folder, below := strings.CutSuffix(door, "*"); dir != door && !(below && strings.HasPrefix(dir, folder)) {
			continue
		}
		for _, m := range modules {
			if imported == m || strings.HasPrefix(imported, m+"/") {
				return true
			}
		}
	}
	return false
}

func imports(files []*ast.File) []string {
	var all []string
	for _, f := range files {
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestPackageComments(t *testing.T) {
	for dir, files := range packageFiles(t) {
		if slices.Contains(unwelcome, path.Base(dir)) {
			t.Errorf("%s: the name promises nothing", dir)
		}
		if !slices.ContainsFunc(files, func(f *ast.File) bool { return f.Doc != nil && len(f.Doc.Text()) > 40 }) {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// Every path that the map of the code names is there, and every package is on it.
func TestArchitectureNamesWhatExists(t *testing.T) {
	doc, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile("`((?:internal|cmd|templates|examples|content|quotes|public|\\.ci|\\.github)/[^`\\s<>*]*)`").FindAllStringSubmatch(string(doc), -1)
	if len(paths) < 10 {
		t.Fatalf("found only %d paths: is the map still a map?", len(paths))
	}
	for _, name := range slices.Concat(layers...) {
		if !strings.Contains(string(doc), name) {
			t.Errorf("internal/ARCHITECTURE.md does not name %s", name)
		}
	}
	for _, m := range paths {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("internal/ARCHITECTURE.md names %s: %v", m[1], err)
		}
	}
}
