package publish

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a new folder and opens it.
func tree(t *testing.T, files map[string]string) (string, *os.Root) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

// state lists every file below dir with its text.
func state(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		lines = append(lines, rel+"="+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

// Nothing changes before commit, and an aborted batch leaves no trace.
func TestBatchIsTwoSteps(t *testing.T) {
	dir, root := tree(t, map[string]string{"a": "1", "sub/b": "2", "c": "3"})
	before := state(t, dir)
	plan := func() *Batch {
		b := &Batch{}
		for _, file := range []struct{ name, text string }{{"a", "new"}, {"c", "3"}, {"deep/er/d", "4"}} {
			if err := b.Put(root, file.name, []byte(file.text)); err != nil {
				t.Fatal(err)
			}
		}
		b.Remove(root, "sub/b")
		return b
	}
	plan().Abort()
	if after := state(t, dir); after != before {
		t.Errorf("an aborted batch changed %q to %q", before, after)
	}
	if _, err := plan().Commit(); err != nil {
		t.Fatal(err)
	}
	if after, want := state(t, dir), "a=new c=3 deep/er/d=4"; after != want {
		t.Errorf("after the commit: %q, want %q", after, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "sub")); err == nil {
		t.Error("the folder of the deleted file is still there")
	}
}

// A file that its author saved in the meantime is left alone and named.
func TestBatchLeavesWhatChangedMeanwhile(t *testing.T) {
	dir, root := tree(t, map[string]string{"lesson.md": "as read", "other.md": "as read"})
	b := &Batch{}
	for _, name := range []string{"lesson.md", "other.md"} {
		if err := b.Replace(root, name, []byte("as read"), []byte("filled")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "lesson.md"), []byte("saved meanwhile"), 0o644); err != nil {
		t.Fatal(err)
	}
	left, err := b.Commit()
	if err != nil || !slices.Equal(left, []string{"lesson.md"}) {
		t.Errorf("left %q, error %v", left, err)
	}
	if got, want := state(t, dir), "lesson.md=saved meanwhile other.md=filled"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Permissions of a file that is replaced stay; links are not followed out.
func TestBatchKeepsModeAndStaysInside(t *testing.T) {
	dir, root := tree(t, map[string]string{"script": "old"})
	if err := os.Chmod(filepath.Join(dir, "script"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	b := &Batch{}
	for _, name := range []string{"script", "link"} {
		if err := b.Put(root, name, []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "script")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if text, _ := os.ReadFile(outside); string(text) != "theirs" {
		t.Errorf("a file outside was changed to %q", text)
	}
	if err := (&Batch{}).Put(root, "../x", []byte("new")); err == nil {
		t.Error("a path that leaves the folder was accepted")
	}
}

// A lesson that is a link keeps being one: what it leads to is filled.
func TestBatchReplacesBehindLinks(t *testing.T) {
	dir, root := tree(t, map[string]string{"texts/real.md": "as read"})
	for link, to := range map[string]string{"a.md": "texts/second.md", "texts/second.md": "real.md"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	b := &Batch{}
	if err := b.Replace(root, "a.md", []byte("as read"), []byte("filled")); err != nil {
		t.Fatal(err)
	}
	if left, err := b.Commit(); err != nil || len(left) > 0 {
		t.Fatalf("left alone: %v, %v", left, err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "texts", "real.md")); string(text) != "filled" {
		t.Errorf("the file behind the links holds %q", text)
	}
	if to, err := os.Readlink(filepath.Join(dir, "a.md")); err != nil || to != "texts/second.md" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// publishAll plans a whole site.
func publishAll(b *Batch, root *os.Root, files map[string][]byte) error {
	for name, data := range files {
		if err := b.Add(root, name, data); err != nil {
			return err
		}
	}
	return b.Complete(root, slices.Collect(maps.Keys(files)))
}

// Publishing again with fewer files deletes only what a build wrote.
func TestPublishDeletesOnlyItsOwn(t *testing.T) {
	dir, root := tree(t, map[string]string{"CNAME": "theirs"})
	for _, files := range []map[string][]byte{
		{"a.html": []byte("a"), "x/b.html": []byte("b"), "index.html": []byte("i")},
		{"index.html": []byte("i")},
	} {
		b := &Batch{}
		if err := publishAll(b, root, files); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := state(t, dir), ".verbatim=index.html\n CNAME=theirs index.html=i"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A folder replaces a file of its name, and a file a folder.
func TestPublishFileInPlaceOfFolder(t *testing.T) {
	dir, root := tree(t, nil)
	for _, step := range []struct {
		files map[string][]byte
		want  string
	}{
		{map[string][]byte{"a": []byte("1"), "b/c": []byte("2")}, ".verbatim=a\nb/c\n a=1 b/c=2"},
		{map[string][]byte{"a/x/y": []byte("3"), "b": []byte("4")}, ".verbatim=a/x/y\nb\n a/x/y=3 b=4"},
		{map[string][]byte{"a": []byte("1"), "b/c": []byte("2")}, ".verbatim=a\nb/c\n a=1 b/c=2"},
	} {
		b := &Batch{}
		if err := publishAll(b, root, step.files); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := state(t, dir); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}

func TestCheckOut(t *testing.T) {
	site, _ := tree(t, map[string]string{"content/a.md": "", "theirs/file": "", "ours/.verbatim": "", "templates/x": ""})
	for _, row := range []struct {
		out string
		ok  bool
	}{
		{"public", true}, {"new/deep", true}, {"ours", true},
		{"content", false}, {"content/sub", false}, {".", false}, {"..", false},
		{"theirs", false}, {"templates/static", false}, {".cache/x", false}, {".git", false}, {"examples", false},
	} {
		if err := CheckOut(site, filepath.Join(site, row.out)); (err == nil) != row.ok {
			t.Errorf("-out %s: %v", row.out, err)
		}
	}
	if err := os.Symlink(filepath.Join(site, "content"), filepath.Join(site, "link")); err != nil {
		t.Fatal(err)
	}
	if err := CheckOut(site, filepath.Join(site, "link", "x")); err == nil {
		t.Error("-out through a link into content/ was accepted")
	}
}
