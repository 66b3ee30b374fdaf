package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/page"
	"verbatim/internal/problem"
)

// plan computes the content of every file, or lists what prevents it.
func (n *newLesson) plan() error {
	if n.requireFree(n.lessonFile(), n.exampleDir()); len(n.Problems) > 0 {
		return nil
	}
	book, err := n.readBook()
	if err != nil || len(n.Problems) > 0 {
		return err
	}
	if err := n.planExample(); err != nil {
		return err
	}
	if err := n.planFile(n.lessonFile(), "lesson.md"); err != nil {
		return err
	}
	return n.planHome(book)
}

// requireFree adds a problem for each of names that exists, or that needs a folder where
// there is something else.
func (n *newLesson) requireFree(names ...string) {
	for _, name := range names {
		if n.exists(name) {
			n.Problems.AddHint(problem.Pos{File: name}, "new", "choose another id: -new overwrites nothing", "is there already")
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if info, err := n.root.Stat(dir); !n.exists(dir) || err == nil && info.IsDir() {
				continue
			}
			what, hint := "a file", "choose another id"
			if to, err := n.root.Readlink(dir); err == nil {
				what = fmt.Sprintf("a link to %s, which is no folder of this site", to)
			}
			if !strings.Contains(dir, "/") {
				hint = "rename it: every lesson needs that folder"
			}
			n.Problems.AddHint(problem.Pos{File: dir}, "new", hint, "is %s, and %s needs a folder of that name", what, name)
		}
	}
}

// exists reports whether there is anything at name, a broken link included.
func (n *newLesson) exists(name string) bool {
	_, err := n.root.Lstat(name)
	return err == nil
}

// readBook reads the site, which may have no content/ yet. It adds problems for what
// has the new lesson's address, and leaves all others to the next build.
func (n *newLesson) readBook() (*load.Book, error) {
	if _, err := fs.Stat(n.fsys, load.Content); errors.Is(err, fs.ErrNotExist) {
		return &load.Book{}, nil
	}
	book, _, err := load.Site(n.fsys)
	if err != nil {
		return nil, err
	}
	for _, l := range book.Lessons {
		if strings.EqualFold(l.ID, n.ID+"/"+load.HomeID) {
			n.addressTaken(l.File)
		}
	}
	for address, file := range addresses(book) {
		if strings.EqualFold(address, n.ID+".html") {
			n.addressTaken(file)
		}
	}
	for _, e := range book.Examples {
		switch {
		case strings.HasPrefix(n.ID, e.ID+"/"):
			n.Problems.AddHint(problem.Pos{File: e.Dir}, "new", "choose another id", "is an example, and the new one would be among its files")
		case strings.EqualFold(n.ID, e.ID):
			n.Problems.AddHint(problem.Pos{File: e.Dir}, "new", "choose another id", "is an example, whose page has the address of the new one's")
		}
	}
	n.Problems.Sort()
	return book, nil
}

// addressTaken adds a problem for a file that has the new lesson's address.
func (n *newLesson) addressTaken(file string) {
	n.Problems.AddHint(problem.Pos{File: file}, "new", "choose another id", "has the address of the new lesson")
}

// addresses returns the paths of the site that authors chose, each with the file that
// has it.
func addresses(book *load.Book) map[string]string {
	taken := map[string]string{}
	for _, l := range book.All() {
		taken[l.ID+".html"] = l.File
		for _, alias := range l.Meta.Aliases {
			if address, wrong := page.AliasPath(alias); wrong == "" {
				taken[address] = l.File
			}
		}
	}
	for _, file := range book.Files {
		address := strings.TrimPrefix(file, load.Content+"/")
		taken[address] = file
		for dir := path.Dir(address); dir != "."; dir = path.Dir(dir) {
			taken[dir] = file
		}
	}
	return taken
}

// planExample plans the program. With the site's lab it is short; without one it speaks
// the protocol of Redis itself, so that it needs no module.
func (n *newLesson) planExample() error {
	module, err := fs.ReadFile(n.fsys, "go.mod")
	if err != nil && n.exists("go.mod") {
		n.Problems.AddHint(problem.Pos{File: "go.mod"}, "new", "mend it, or delete it: -new writes one then", "cannot be read: %v", err)
		return nil
	}
	inModule := err == nil || isInModule(n.parent)
	lab, _ := fs.ReadFile(n.fsys, load.Examples+"/lab/lab.go")
	name := modulePath.FindSubmatch(module)
	program := "plain.go.txt"
	if name != nil && bytes.Contains(lab, []byte("\nfunc Main(")) {
		n.Lab = string(name[1]) + "/" + load.Examples + "/lab"
		program = "lab.go.txt"
	}
	if !inModule {
		n.files = append(n.files, plannedFile{"go.mod", []byte(ownModule)})
	}
	return n.planFile(n.exampleDir()+"/main.go", program)
}

var modulePath = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// isInModule reports whether a folder or one above it has a go.mod.
func isInModule(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// planHome adds the lesson to the home page, unless its author did. A site that has
// lessons and no home page lists them all by title, the new one included; a site without
// lessons gets a home page.
func (n *newLesson) planHome(book *load.Book) error {
	switch {
	case book.Home == nil && n.exists(homeFile):
		n.Problems.AddHint(problem.Pos{File: homeFile}, "new", "mend it, or delete it: a site needs none", "cannot be read, and the new lesson belongs on it")
		return nil
	case book.Home != nil && slices.ContainsFunc(book.Course, func(e lesson.Entry) bool { return e.Lesson == n.ID }):
		n.Listed = true
		return nil
	case book.Home != nil:
		page, err := addItem(book, n.Title, n.ID)
		if err != nil {
			n.Problems.AddHint(problem.Pos{File: homeFile}, "new",
				fmt.Sprintf("add a list with one lesson, or write this line yourself: - [%s](%s.md)", n.Title, n.ID), "%v", err)
			return nil
		}
		n.home, n.Listed = book.Home.Source, true
		n.files = append(n.files, plannedFile{homeFile, page})
		return nil
	case len(book.Lessons) > 0:
		return nil
	}
	n.Listed, n.Item = true, item(n.Title, n.ID)
	return n.planFile(homeFile, "index.md")
}

// planFile plans a file whose content is the output of a template of starter.
func (n *newLesson) planFile(name, from string) error {
	t, err := template.New(from).Delims("[[", "]]").ParseFS(starter, "starter/"+from)
	if err != nil {
		return fmt.Errorf("draw %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, n); err != nil {
		return fmt.Errorf("draw %s: %w", name, err)
	}
	n.files = append(n.files, plannedFile{name, out.Bytes()})
	return nil
}
