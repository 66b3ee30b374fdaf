package site

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verbatim/internal/filetree"
	"verbatim/internal/stamp"
)

// sneak changes a lesson, but neither its size nor its time of modification.
func sneak(a *author) {
	file := a.one(a.lessons())
	name := filepath.Join(a.dir, filepath.FromSlash(file))
	before, err := os.Stat(name)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(file, strings.NewReplacer("Title", "Titel", "Titel", "Title", "Proof", "Porof").Replace(a.read(file)))
	if err := os.Chtimes(name, before.ModTime(), before.ModTime()); err != nil {
		a.t.Fatal(err)
	}
}

// rewrite changes the bytes of a file by do, of the same size and with the time of
// modification that it had.
func rewrite(name string, do func(name string, data []byte) error) error {
	before, err := os.Stat(name)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := do(name, bytes.ReplaceAll(data, []byte("Text"), []byte("Txet"))); err != nil {
		return err
	}
	return os.Chtimes(name, before.ModTime(), before.ModTime())
}

func inPlace(name string, data []byte) error { return os.WriteFile(name, data, 0o644) }

func renamed(name string, data []byte) error {
	if err := os.WriteFile(name+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// TestStampsTellEdits: what happens to a file whose stamp is known is noticed,
// however soon and secretly. What changes nothing writes nothing.
func TestStampsTellEdits(t *testing.T) {
	dir, _ := filetree.New(t, map[string]string{
		"content/index.md": "# Course\n\n- [A](a.md)\n", "content/a.md": "# A\n\nText.\n\n[Data](data.txt)\n",
		"content/data.txt": "data\n", "examples/one.txt": "one\n", "examples/two.txt": "2\n",
	})
	lesson, page := filepath.Join(dir, "content", "a.md"), filepath.Join(dir, "public", "a.html")
	file := filepath.Join(dir, "content", "data.txt")
	text, err := os.ReadFile(lesson)
	if err != nil {
		t.Fatal(err)
	}
	rebuild(t, dir)
	for _, step := range []struct {
		what  string
		do    func() error
		wrote bool
	}{
		{"nothing", func() error { return nil }, false},
		{"a lesson is written in place", func() error { return rewrite(lesson, inPlace) }, true},
		{"it is written back", func() error { return inPlace(lesson, text) }, true},
		{"a lesson is replaced", func() error { return rewrite(lesson, renamed) }, true},
		{"a page is written in place", func() error {
			return rewrite(page, func(name string, data []byte) error { return inPlace(name, bytes.ToUpper(data)) })
		}, true},
		{"a page is replaced", func() error {
			return rewrite(page, func(name string, data []byte) error { return renamed(name, bytes.ToUpper(data)) })
		}, true},
		{"a lesson is touched", func() error { return os.Chtimes(lesson, time.Now(), time.Now()) }, false},
		{"a lesson has another mode", func() error { return os.Chmod(lesson, 0o600) }, false},
		{"a file becomes a link", func() error { return relink(file, "../examples/one.txt") }, true},
		{"the link leads elsewhere", func() error { return relink(file, "../examples/two.txt") }, true},
		{"what it leads to changes", func() error { return inPlace(filepath.Join(dir, "examples", "two.txt"), []byte("3\n")) }, true},
		{"a file comes", func() error { return inPlace(filepath.Join(dir, "content", "b.txt"), nil) }, true},
		{"a file goes", func() error { return os.Remove(filepath.Join(dir, "content", "b.txt")) }, true},
	} {
		time.Sleep(2 * stamp.Margin)
		if written, _ := rebuild(t, dir); written > 0 { // whose stamps are settled
			t.Errorf("before %s: wrote %d files", step.what, written)
		}
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		written, _ := rebuild(t, dir)
		if (written > 0) != step.wrote {
			t.Errorf("%s: wrote %d files", step.what, written)
		}
	}
}

func relink(name, target string) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	return os.Symlink(target, name)
}

// TestStampsKept: a build knows the stamps of what it read and wrote as soon as
// they are settled, and not before.
func TestStampsKept(t *testing.T) {
	dir, _ := filetree.New(t, map[string]string{"content/index.md": "# Course\n\n- [A](a.md)\n", "content/a.md": "# A\n\nText.\n"})
	lesson, page := filepath.Join(dir, "content", "a.md"), filepath.Join(dir, "public", "a.html")
	info, err := os.Lstat(lesson)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := stamp.Of(info); !ok {
		t.Skip("this system's stamps do not tell enough")
	}
	known := func(name string) bool {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := stamp.Of(info)
		_, ok := stamp.Open(filepath.Join(dir, CacheDir, stampsFile)).Sum(s)
		return ok
	}
	time.Sleep(2 * stamp.Margin)
	rebuild(t, dir)
	if !known(lesson) {
		t.Error("a lesson that was settled is not known")
	}
	time.Sleep(2 * stamp.Margin)
	rebuild(t, dir)
	if !known(lesson) || !known(page) {
		t.Errorf("known are: lesson %t, page %t", known(lesson), known(page))
	}
	if err := os.WriteFile(lesson, []byte("# A\n\nOther.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rebuild(t, dir)
	if known(lesson) {
		t.Error("a lesson that was just written is believed")
	}
}
