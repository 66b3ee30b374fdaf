package quote

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"verbatim/internal/stamp"
)

// opened is a file system that remembers what was opened.
type opened struct {
	fs.FS
	mu    sync.Mutex
	names []string
}

func (o *opened) Open(name string) (fs.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names = append(o.names, name)
	return o.FS.Open(name)
}

// outliveStamps waits until everything that was written is old enough for its stamp
// to be trusted.
func outliveStamps() { time.Sleep(2 * stamp.Margin) }

// stampSite is a site of three sources with a cache that knows it by stamps.
func stampSite(t *testing.T) Input {
	t.Helper()
	in := scaleSite(t, 3, 6)
	in.Cache = filepath.Join(t.TempDir(), "cache")
	info, err := os.Lstat(pageFile(in, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := stamp.Of(info); !ok {
		t.Skip("this system's stamps do not tell enough")
	}
	outliveStamps()
	mustCheck(t, in)
	return in
}

func folderOf(in Input, i int) string {
	return filepath.Join(in.Dir, filepath.FromSlash(path.Dir(in.Sources[i].File)))
}

func pageFile(in Input, i int) string { return filepath.Join(folderOf(in, i), "page.html") }

// agree holds that a check with the cache says what one without says.
func agree(t *testing.T, what string, in Input) {
	t.Helper()
	bare := in
	bare.Cache = ""
	want, wantProblems := mustCheck(t, bare)
	got, problems := mustCheck(t, in)
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(problems, wantProblems) {
		t.Fatalf("%s: with stamps\n%v\nwithout\n%v", what, problems, wantProblems)
	}
}

// knownStamps returns how many folders and pages of the sources the cache knows.
func knownStamps(t *testing.T, in Input) (folders, pages int) {
	t.Helper()
	c := openCache(in.Cache)
	defer c.Close()
	for i := range in.Sources {
		folder, err := os.Lstat(folderOf(in, i))
		if err != nil {
			t.Fatal(err)
		}
		if _, known := c.Entries(folder); known {
			folders++
		}
		if _, known := c.Sum(func() (os.FileInfo, error) { return os.Lstat(pageFile(in, i)) }); known {
			pages++
		}
	}
	return folders, pages
}

// TestStampsNeedNoReading holds that a page and a folder that are what they were
// are not opened.
func TestStampsNeedNoReading(t *testing.T) {
	in := stampSite(t)
	watched := &opened{FS: in.Site}
	in.Site = watched
	mustCheck(t, in)
	if len(watched.names) > 0 {
		t.Errorf("with nothing changed %q were opened", watched.names)
	}
	if folders, pages := knownStamps(t, in); folders != 3 || pages != 3 {
		t.Errorf("the cache knows %d folders and %d pages, want 3 of each", folders, pages)
	}
	in.Cache = ""
	mustCheck(t, in)
	if len(watched.names) == 0 {
		t.Error("without a cache nothing was opened")
	}
}

// TestYoungStampsAreNotKept holds that what may change without another stamp is
// read each time: here because of times that are still to come.
func TestYoungStampsAreNotKept(t *testing.T) {
	in := stampSite(t)
	later := time.Now().Add(time.Hour)
	for _, name := range []string{pageFile(in, 1), folderOf(in, 2)} {
		if err := os.Chtimes(name, later, later); err != nil {
			t.Fatal(err)
		}
	}
	outliveStamps()
	in.Cache += "-new"
	mustCheck(t, in)
	if folders, pages := knownStamps(t, in); folders != 2 || pages != 2 {
		t.Errorf("the cache knows %d folders and %d pages, want 2 of each", folders, pages)
	}
}

// edits are what may happen to a source's folder. None leaves a trace in the
// sizes or in the times of modification, where it can help it.
var edits = []struct {
	what string
	do   func(in Input, i int) error
}{
	{"edited in place", func(in Input, i int) error { return overwrite(pageFile(in, i), pageFile(in, i)) }},
	{"replaced by a rename", func(in Input, i int) error {
		aside := pageFile(in, i) + ".aside"
		if err := overwrite(pageFile(in, i), aside); err != nil {
			return err
		}
		return os.Rename(aside, pageFile(in, i))
	}},
	{"touched", func(in Input, i int) error { return os.Chtimes(pageFile(in, i), time.Now(), time.Now()) }},
	{"written again", func(in Input, i int) error {
		data, err := os.ReadFile(pageFile(in, i))
		if err != nil {
			return err
		}
		return os.WriteFile(pageFile(in, i), data, 0o644)
	}},
	{"gone", func(in Input, i int) error { return os.Remove(pageFile(in, i)) }},
	{"two pages", func(in Input, i int) error {
		return os.WriteFile(filepath.Join(folderOf(in, i), "page.txt"), []byte("other words\n"), 0o644)
	}},
	{"one page", func(in Input, i int) error { return os.RemoveAll(filepath.Join(folderOf(in, i), "page.txt")) }},
	{"a bad seal", func(in Input, i int) error {
		return os.WriteFile(filepath.Join(folderOf(in, i), sealFile), []byte("contract: 1\n"), 0o644)
	}},
	{"no seal", func(in Input, i int) error { return os.RemoveAll(filepath.Join(folderOf(in, i), sealFile)) }},
	{"pages change places", func(in Input, i int) error { return swap(pageFile(in, i), pageFile(in, (i+1)%3)) }},
	{"folders change places", func(in Input, i int) error { return swap(folderOf(in, i), folderOf(in, (i+1)%3)) }},
	{"a link to another page", func(in Input, i int) error {
		if err := os.Remove(pageFile(in, i)); err != nil {
			return err
		}
		return os.Symlink(filepath.Join("..", filepath.Base(folderOf(in, (i+1)%3)), "page.html"), pageFile(in, i))
	}},
	{"a link to a folder elsewhere", func(in Input, i int) error {
		elsewhere := filepath.Join(filepath.Dir(in.Cache), fmt.Sprint(time.Now().UnixNano()))
		if err := os.Rename(folderOf(in, i), elsewhere); err != nil {
			return err
		}
		return os.Symlink(elsewhere, folderOf(in, i))
	}},
	{"a link to all sources elsewhere", func(in Input, _ int) error {
		quotes := filepath.Dir(folderOf(in, 0))
		elsewhere := filepath.Join(filepath.Dir(in.Cache), fmt.Sprint(time.Now().UnixNano()))
		if err := os.Rename(quotes, elsewhere); err != nil {
			return err
		}
		return os.Symlink(elsewhere, quotes)
	}},
}

// overwrite writes page from with other letters to the file to, and puts the time
// of modification back.
func overwrite(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	letter := []byte{"aeiou"[info.Size()%5]}
	if err := os.WriteFile(to, bytes.ReplaceAll(data, letter, []byte("y")), 0o644); err != nil {
		return err
	}
	return os.Chtimes(to, time.Now(), info.ModTime())
}

func swap(a, b string) error {
	aside := a + ".aside"
	if err := os.Rename(a, aside); err != nil {
		return err
	}
	if err := os.Rename(b, a); err != nil {
		return err
	}
	return os.Rename(aside, b)
}

// TestStampsTellEveryEdit holds that a check says what one without a cache says
// after each thing that may happen to a page or its folder, at once and once
// its stamp could be trusted.
func TestStampsTellEveryEdit(t *testing.T) {
	for _, e := range edits {
		t.Run(strings.ReplaceAll(e.what, " ", "-"), func(t *testing.T) {
			t.Parallel()
			in := stampSite(t)
			if err := e.do(in, 1); err != nil {
				t.Fatal(err)
			}
			agree(t, e.what, in)
			outliveStamps()
			agree(t, e.what+", later", in)
			agree(t, e.what+", again", in)
		})
	}
}

// TestStampsRandomEdits does the same after edits one upon another, settled or
// not. An edit that is not possible any more is none.
func TestStampsRandomEdits(t *testing.T) {
	in := stampSite(t)
	dice := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		e := edits[dice.IntN(len(edits)-2)] // where all is elsewhere there is little to see
		_ = e.do(in, dice.IntN(3))
		if dice.IntN(6) == 0 {
			outliveStamps()
		}
		agree(t, fmt.Sprintf("step %d, %s", n, e.what), in)
	}
}
