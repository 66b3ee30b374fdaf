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

// packageMap is the table of packages in ARCHITECTURE.md.
type packageMap struct {
	layer map[string]int      // by package
	doors map[string][]string // modules of others that a package may import; its tests may import any
}

// mapRow matches a row of the table: layer, packages, what they do, modules.
var (
	mapRow = regexp.MustCompile("(?m)^\\| (\\d+|–) \\| (`[^|]*`) \\|[^|]*\\| ([^|]*) \\|$")
	quoted = regexp.MustCompile("`([^`]+)`")
)

// readMap reads the table of packages. A package called examples/* is every folder
// below examples/, which has no layer.
func readMap(t *testing.T) packageMap {
	t.Helper()
	doc, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	m := packageMap{map[string]int{}, map[string][]string{}}
	for _, row := range mapRow.FindAllStringSubmatch(string(doc), -1) {
		for _, name := range quoted.FindAllStringSubmatch(row[2], -1) {
			dir := strings.TrimSuffix(name[1], "/")
			if layer, err := strconv.Atoi(row[1]); err == nil {
				m.layer[dir] = layer
			}
			for _, door := range quoted.FindAllStringSubmatch(row[3], -1) {
				m.doors[dir] = append(m.doors[dir], door[1])
			}
		}
	}
	if len(m.layer) < 10 {
		t.Fatalf("ARCHITECTURE.md has only %d packages in its table", len(m.layer))
	}
	return m
}

// unwelcome are names that do not say what a package does.
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

// A package imports only packages of lower layers, and examples import nothing of the
// builder.
func TestLayers(t *testing.T) {
	m := readMap(t)
	for dir, files := range packageFiles(t) {
		example := strings.HasPrefix(dir, "examples/")
		layer, known := m.layer[dir]
		if !known && !example {
			t.Errorf("ARCHITECTURE.md has no row for %s", dir)
			continue
		}
		for _, imported := range imports(files) {
			local, ok := strings.CutPrefix(imported, module(t)+"/")
			switch {
			case !ok:
			case example && !strings.HasPrefix(local, "examples/"):
				t.Errorf("%s imports %s: an example imports nothing of the builder", dir, local)
			case !example && strings.HasPrefix(local, "examples/"):
				t.Errorf("%s imports %s: the builder imports no example", dir, local)
			case !example && m.layer[local] >= layer:
				t.Errorf("%s imports %s, which is in no lower layer", dir, local)
			}
		}
	}
}

// A package imports only the modules that its row names, and every module that a row
// names is imported.
func TestDoors(t *testing.T) {
	m := readMap(t)
	unused := map[string]bool{}
	for dir, modules := range m.doors {
		for _, module := range modules {
			unused[dir+" "+module] = true
		}
	}
	for dir, files := range packageFiles(t) {
		for _, imported := range imports(files) {
			first, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imported, module(t)+"/") {
				continue // the standard library, or ours
			}
			row, door := m.door(dir, imported)
			if door == "" {
				t.Errorf("%s imports %s, which its row in ARCHITECTURE.md does not name", dir, imported)
			}
			delete(unused, row+" "+door)
		}
	}
	for door := range unused {
		t.Errorf("ARCHITECTURE.md names a module that is not imported: %s", door)
	}
}

// door returns the row and its module by which a package may import something.
func (m packageMap) door(dir, imported string) (row, module string) {
	for row, modules := range m.doors {
		if folder, below := strings.CutSuffix(row, "*"); dir != row && !(below && strings.HasPrefix(dir, folder)) {
			continue
		}
		for _, module := range modules {
			if imported == module || strings.HasPrefix(imported, module+"/") {
				return row, module
			}
		}
	}
	return "", ""
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
			t.Errorf("%s: the name does not say what the package does", dir)
		}
		if !slices.ContainsFunc(files, func(f *ast.File) bool { return f.Doc != nil && len(f.Doc.Text()) > 40 }) {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// Every path that the pages about the code name exists.
func TestArchitectureNamesWhatExists(t *testing.T) {
	for _, page := range []string{"ARCHITECTURE.md", "FAULTS.md", "FIGURES.md"} {
		doc, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range repositoryPath.FindAllStringSubmatch(string(doc), -1) {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("internal/%s names %s: %v", page, m[1], err)
			}
		}
	}
}

var repositoryPath = regexp.MustCompile("`((?:internal|cmd|templates|examples|content|quotes|public|\\.ci|\\.github)/[^`\\s<>*]*)`")

// Every test that FAULTS.md names exists.
func TestFaultsNameTests(t *testing.T) {
	doc, err := os.ReadFile("FAULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, pattern := range []string{"*/*_test.go", "../cmd/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(src)
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(doc), -1)
	if len(named) < 10 {
		t.Fatalf("FAULTS.md names only %d tests", len(named))
	}
	for _, m := range named {
		if !strings.Contains(tests.String(), "func "+m[1]+"(") {
			t.Errorf("internal/FAULTS.md names %s, and there is no such test", m[1])
		}
	}
}
