package site

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/page"
	"verbatim/internal/problem"
	"verbatim/internal/publish"
)

// starter is what New writes, as templates between [[ and ]].
//
//go:embed starter
var starter embed.FS

// ownModule is the go.mod of a site that is in no Go module: its example could
// not be compiled without one.
const ownModule = "module lessons\n\ngo 1.26\n"

// Started is what New wrote, or what stood in its way.
type Started struct {
	Problems problem.List // what stood in the way of the files that are missing
	Files    []string     // relative to the root, in the order of writing
	Listed   bool         // the home page lists the lesson; else there is none, and it lists itself
}

// New starts the lesson id in the site at c.Root: content/<id>.md, a program
// examples/<id>/main.go that it shows, and its line in content/index.md. It
// writes all of that or nothing, and never over anything. An id that no lesson
// can have is a usage error; what stands in the way is a problem of the
// author's. Of c it uses Root, Printer and Today.
func New(ctx context.Context, c Config, id string) (*Started, error) {
	id = strings.TrimSuffix(id, ".md")
	if err := checkID(id); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(c.Root)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	defer root.Close()
	unlock, err := lock(ctx, filepath.Join(absolute, CacheDir), func() { c.Printer.Printf("waiting for another build of this site to end") })
	if err != nil {
		return nil, err
	}
	defer unlock()
	if c.Today == "" {
		c.Today = time.Now().UTC().Format(time.DateOnly)
	}
	n := &newLesson{ID: id, Base: path.Base(id), Title: titleOf(id), Today: c.Today, root: root, fsys: load.Files(root), above: filepath.Dir(absolute)}
	if err := n.plan(); err != nil || len(n.Problems) > 0 {
		return &n.Started, err
	}
	return &n.Started, n.write()
}

// newLesson is a lesson on its way. Its exported fields are what the templates
// of starter see.
type newLesson struct {
	ID, Base, Title, Today string
	Lab                    string // the import path of the site's package lab, "" without one
	Item                   string // its line on a new home page

	Started
	root  *os.Root
	fsys  fs.FS
	above string // the folder around the site
	files []plannedFile
	home  []byte // the home page as read, nil when there is none
}

// plannedFile is a file to write: a new one, or the home page.
type plannedFile struct {
	name string
	data []byte
}

func (n *newLesson) lesson() string  { return load.Content + "/" + n.ID + ".md" }
func (n *newLesson) example() string { return load.Examples + "/" + n.ID }

const homeFile = load.Content + "/" + load.HomeID + ".md"

// plan settles every byte, or lists what stands in the way.
func (n *newLesson) plan() error {
	if n.refuse(n.lesson(), n.example()); len(n.Problems) > 0 {
		return nil
	}
	book, err := n.book()
	if err != nil || len(n.Problems) > 0 {
		return err
	}
	if err := n.planExample(); err != nil {
		return err
	}
	if err := n.draw(n.lesson(), "lesson.md"); err != nil {
		return err
	}
	return n.planHome(book)
}

// refuse complains about each of these that is there, or that has something else
// where it needs a folder.
func (n *newLesson) refuse(names ...string) {
	for _, name := range names {
		if n.isThere(name) {
			n.Problems.AddHint(problem.Pos{File: name}, "new", "choose another id: -new overwrites nothing", "is there already")
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if info, err := n.root.Stat(dir); !n.isThere(dir) || err == nil && info.IsDir() {
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

// isThere tells whether a name is taken, by a link that leads nowhere too.
func (n *newLesson) isThere(name string) bool {
	_, err := n.root.Lstat(name)
	return err == nil
}

// book reads the site, of which there may be nothing yet. Its problems are the
// next build's to tell, but not what would be in the new lesson's place or way.
func (n *newLesson) book() (*load.Book, error) {
	if _, err := fs.Stat(n.fsys, load.Content); errors.Is(err, fs.ErrNotExist) {
		return &load.Book{}, nil
	}
	book, _, err := load.Site(n.fsys)
	if err != nil {
		return nil, err
	}
	for _, l := range book.Lessons {
		if strings.EqualFold(l.ID, n.ID+"/"+load.HomeID) {
			n.taken(l.File)
		}
	}
	for address, file := range addresses(book) {
		if strings.EqualFold(address, n.ID+".html") {
			n.taken(file)
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

// taken complains about what has the new lesson's address.
func (n *newLesson) taken(file string) {
	n.Problems.AddHint(problem.Pos{File: file}, "new", "choose another id", "has the address of the new lesson")
}

// addresses gives the paths of the site that authors chose, each with the file
// that takes it.
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
		address := published(file)
		taken[address] = file
		for dir := path.Dir(address); dir != "."; dir = path.Dir(dir) {
			taken[dir] = file
		}
	}
	return taken
}

// planExample chooses the program: with the site's lab it is short, without one
// it speaks to Redis itself, so that it needs no module from anywhere.
func (n *newLesson) planExample() error {
	module, err := fs.ReadFile(n.fsys, "go.mod")
	if err != nil && n.isThere("go.mod") {
		n.Problems.AddHint(problem.Pos{File: "go.mod"}, "new", "mend it, or delete it: -new writes one then", "cannot be read: %v", err)
		return nil
	}
	inModule := err == nil || isBelowModule(n.above)
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
	return n.draw(n.example()+"/main.go", program)
}

var modulePath = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// isBelowModule tells whether a folder, or one around it, has a go.mod.
func isBelowModule(dir string) bool {
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

// planHome adds the lesson's line to the home page, unless its author did. A site
// that has lessons and no home page lists them all by title, the new one too; one
// that has nothing gets a home page.
func (n *newLesson) planHome(book *load.Book) error {
	switch {
	case book.Home == nil && n.isThere(homeFile):
		n.Problems.AddHint(problem.Pos{File: homeFile}, "new", "mend it, or delete it: a site needs none", "cannot be read, and the new lesson belongs on it")
		return nil
	case book.Home != nil && slices.ContainsFunc(book.Course, func(e lesson.Entry) bool { return e.Lesson == n.ID }):
		n.Listed = true
		return nil
	case book.Home != nil:
		page, err := listed(book, n.Title, n.ID)
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
	return n.draw(homeFile, "index.md")
}

// draw plans a file that a template of starter gives.
func (n *newLesson) draw(name, from string) error {
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

// write writes every file aside before the first is renamed to its place. When
// it fails, the folders that it made go again.
func (n *newLesson) write() (err error) {
	folders := n.missingFolders()
	defer func() {
		if err == nil {
			return
		}
		for _, dir := range folders {
			n.root.Remove(dir) // one with something in it stays
		}
	}()
	changes := &publish.Batch{}
	defer changes.Abort()
	for _, f := range n.files {
		if f.name == homeFile && n.home != nil {
			err = changes.Replace(n.root, f.name, n.home, f.data)
		} else {
			err = changes.Put(n.root, f.name, f.data)
		}
		if err != nil {
			return err
		}
	}
	left, err := changes.Commit()
	if err != nil {
		return err
	}
	for _, f := range n.files {
		if !slices.Contains(left, f.name) {
			n.Files = append(n.Files, f.name)
			continue
		}
		n.Problems.AddHint(problem.Pos{File: f.name}, "new",
			"add this line to its list: "+item(n.Title, n.ID), "was saved meanwhile, and was left alone")
	}
	return nil
}

// missingFolders lists the folders that the files need and that are not there,
// each after those below it.
func (n *newLesson) missingFolders() []string {
	missing := map[string]bool{}
	for _, f := range n.files {
		for dir := path.Dir(f.name); dir != "." && !n.isThere(dir); dir = path.Dir(dir) {
			missing[dir] = true
		}
	}
	folders := slices.Sorted(maps.Keys(missing))
	slices.Reverse(folders)
	return folders
}
