package publish

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"verbatim/internal/filetree"
)

// Nothing changes before commit, and an aborted batch leaves no trace.
func TestBatchIsTwoSteps(t *testing.T) {
	dir, root := filetree.New(t, map[string]string{"a": "1", "sub/b": "2", "c": "3"})
	before := filetree.Texts(t, dir)
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
	if after := filetree.Texts(t, dir); after != before {
		t.Errorf("an aborted batch changed %q to %q", before, after)
	}
	if _, err := plan().Commit(); err != nil {
		t.Fatal(err)
	}
	if after, want := filetree.Texts(t, dir), "a=new c=3 deep/er/d=4"; after != want {
		t.Errorf("after the commit: %q, want %q", after, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "sub")); err == nil {
		t.Error("the folder of the deleted file is still there")
	}
}

// A file that its author saved in the meantime is left alone and named.
func TestBatchLeavesWhatChangedMeanwhile(t *testing.T) {
	dir, root := filetree.New(t, map[string]string{"lesson.md": "as read", "other.md": "as read"})
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
	if got, want := filetree.Texts(t, dir), "lesson.md=saved meanwhile other.md=filled"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Permissions of a file that is replaced stay; links are not followed out.
func TestBatchKeepsModeAndStaysInside(t *testing.T) {
	dir, root := filetree.New(t, map[string]string{"script": "old"})
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
	dir, root := filetree.New(t, map[string]string{"texts/real.md": "as read"})
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
	dir, root := filetree.New(t, map[string]string{"CNAME": "theirs"})
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
	if got, want := filetree.Texts(t, dir), ".verbatim=index.html\n CNAME=theirs index.html=i"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A folder replaces a file of its name, and a file a folder.
func TestPublishFileInPlaceOfFolder(t *testing.T) {
	dir, root := filetree.New(t, nil)
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
		if got := filetree.Texts(t, dir); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}

func TestCheckOut(t *testing.T) {
	site, _ := filetree.New(t, map[string]string{"content/a.md": "", "theirs/file": "", "ours/.verbatim": "", "templates/x": ""})
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
