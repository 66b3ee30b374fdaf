// Package scaffold writes the files of a new lesson, for build -new: the lesson, the
// program that it shows, and its item in the list of the home page. New does all of it
// in one publish.Batch, and never overwrites a file.
package scaffold

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"verbatim/internal/cachedir"
	"verbatim/internal/cli"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/publish"
)

// starter holds the templates of the files that New writes. Their actions stand between
// [[ and ]].
//
//go:embed starter
var starter embed.FS

// ownModule is the go.mod that New writes for a site that is in no Go module, because
// its example could not be compiled without one.
const ownModule = "module lessons\n\ngo 1.26\n"

// Options says where New writes.
type Options struct {
	Root    string       // the site's root; "" is the current folder
	Today   string       // the date in the new lesson, 2026-11-29; "" is today in UTC
	Printer *cli.Printer // nil prints nothing
}

// Result lists what New wrote, and why other files were not written.
type Result struct {
	Problems problem.List // sorted
	Files    []string     // slash-separated, below the root, in the order of writing
	Listed   bool         // the home page lists the lesson; else there is none, and it lists itself
}

// New writes content/<id>.md, a program examples/<id>/main.go that the lesson shows, and
// the lesson's item in content/index.md. It writes all of them or none. It returns a
// usage error for an id that no lesson can have, and lists an existing file in the
// place of a new one as a problem.
func New(ctx context.Context, o Options, id string) (*Result, error) {
	id = strings.TrimSuffix(id, ".md")
	if err := checkID(id); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	defer root.Close()
	unlock, err := cachedir.Lock(ctx, filepath.Join(absolute, cachedir.Name), func() { o.Printer.Printf("waiting for another build of this site to end") })
	if err != nil {
		return nil, err
	}
	defer unlock()
	if o.Today == "" {
		o.Today = time.Now().UTC().Format(time.DateOnly)
	}
	n := &newLesson{ID: id, Base: path.Base(id), Title: titleOf(id), Today: o.Today, root: root, fsys: load.Files(root), parent: filepath.Dir(absolute)}
	if err := n.plan(); err != nil || len(n.Problems) > 0 {
		return &n.Result, err
	}
	return &n.Result, n.write()
}

// newLesson holds the files of a new lesson while they are planned. The templates of
// starter use its exported fields.
type newLesson struct {
	ID, Base, Title, Today string
	Lab                    string // import path of the site's package lab, "" if it has none
	Item                   string // its item on a new home page

	Result
	root   *os.Root
	fsys   fs.FS
	parent string // the folder that holds the site's root
	files  []plannedFile
	home   []byte // content of the home page, nil if there is none
}

// plannedFile is a new file, or the home page with one more item.
type plannedFile struct {
	name string
	data []byte
}

func (n *newLesson) lessonFile() string { return load.Content + "/" + n.ID + ".md" }
func (n *newLesson) exampleDir() string { return load.Examples + "/" + n.ID }

const homeFile = load.Content + "/" + load.HomeID + ".md"

// write stages every file and then commits all. If it fails, it deletes the folders that
// it made.
func (n *newLesson) write() (err error) {
	folders := n.missingFolders()
	defer func() {
		if err == nil {
			return
		}
		for _, dir := range folders {
			n.root.Remove(dir) // fails for one that is not empty
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

// missingFolders returns the folders that the files need and that do not exist, each
// after those below it.
func (n *newLesson) missingFolders() []string {
	missing := map[string]bool{}
	for _, f := range n.files {
		for dir := path.Dir(f.name); dir != "." && !n.exists(dir); dir = path.Dir(dir) {
			missing[dir] = true
		}
	}
	folders := slices.Sorted(maps.Keys(missing))
	slices.Reverse(folders)
	return folders
}
