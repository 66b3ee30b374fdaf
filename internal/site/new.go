package site

import (
	"bytes"
	"context"
	"embed"
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
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/load"
	"verbatim/internal/problem"
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
// author's. Of c it heeds Root, Voice and Today.
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
	unlock, err := lock(ctx, filepath.Join(absolute, CacheDir), func() { c.Voice.Say("waiting for another build of this site to end") })
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

// idPattern is what New accepts: it makes an address that needs no escapes and
// is the same on every file system.
var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)*$`)

// reserved says which names a page, or an example's folder, cannot have.
var reserved = []struct{ pattern, why string }{
	{`^(index|404|evidence|search)$`, "is a page that every site has"},
	{`(^|/)index$`, "would be the page of its folder"},
	{`^(static|search|examples)/`, "lies in a folder of the site's own"},
	{`^course$`, "is how -pdf calls the whole course"},
	{`-worksheet$`, "is how -pdf calls a worksheet"},
	{`(^|/)(recorded|testdata|vendor)(/|$)`, "names a folder in which no example is looked for"},
}

// checkID refuses what cannot be the id of a new lesson.
func checkID(id string) error {
	if !idPattern.MatchString(id) {
		hint := ""
		if nearest := strings.Trim(notInID.ReplaceAllString(strings.ToLower(id), "-"), "-/"); idPattern.MatchString(nearest) {
			hint = "; try " + nearest
		}
		return &cli.UsageError{Text: fmt.Sprintf("-new %q: an id is lower-case letters, digits and single hyphens, with / between folders%s", id, hint)}
	}
	if below, ok := strings.CutPrefix(id, load.Content+"/"); ok {
		return &cli.UsageError{Text: fmt.Sprintf("-new %s: an id is the path below %s/: try %s", id, load.Content, below)}
	}
	for _, r := range reserved {
		if regexp.MustCompile(r.pattern).MatchString(id) {
			return &cli.UsageError{Text: fmt.Sprintf("-new %s: the name %s; choose another", id, r.why)}
		}
	}
	return nil
}

// notInID finds runs of what an id cannot hold.
var notInID = regexp.MustCompile(`[^a-z0-9/]+`)

// titleOf makes a title of an id: "a/first-steps" is "First steps".
func titleOf(id string) string {
	words := strings.ReplaceAll(path.Base(id), "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
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
	n.refuse(n.lesson(), n.example())
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

// refuse complains about each of these that is there, or that has a file where
// it needs a folder.
func (n *newLesson) refuse(names ...string) {
	for _, name := range names {
		if _, err := n.root.Lstat(name); err == nil {
			n.Problems.AddHint(problem.Pos{File: name}, "new", "choose another id: -new overwrites nothing", "is there already")
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if info, err := n.root.Stat(dir); err == nil && !info.IsDir() {
				n.Problems.AddHint(problem.Pos{File: dir}, "new", "choose another id", "is a file, and %s needs a folder of that name", name)
			}
		}
	}
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
		if strings.EqualFold(l.ID, n.ID) || strings.EqualFold(l.ID, n.ID+"/"+load.HomeID) {
			n.Problems.AddHint(problem.Pos{File: l.File}, "new", "choose another id", "has the address of the new lesson")
		}
	}
	for _, e := range book.Examples {
		if strings.HasPrefix(n.ID, e.ID+"/") {
			n.Problems.AddHint(problem.Pos{File: e.Dir}, "new", "choose another id", "is an example, and the new one would be among its files")
		}
	}
	return book, nil
}

// planExample chooses the program: with the site's lab it is short, without one
// it speaks to Redis itself, so that it needs no module from anywhere.
func (n *newLesson) planExample() error {
	module, err := fs.ReadFile(n.fsys, "go.mod")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read go.mod: %w", err)
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

// planHome adds the lesson's line to the home page. A site that has lessons and
// no home page lists them all by title, the new one too; one that has nothing
// gets a home page.
func (n *newLesson) planHome(book *load.Book) error {
	switch {
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

// write writes every file aside before the first is renamed to its place.
func (n *newLesson) write() error {
	changes := &batch{}
	defer changes.abort()
	for _, f := range n.files {
		var err error
		if f.name == homeFile && n.home != nil {
			err = changes.replace(n.root, f.name, n.home, f.data)
		} else {
			err = changes.put(n.root, f.name, f.data)
		}
		if err != nil {
			return err
		}
	}
	left, err := changes.commit()
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
