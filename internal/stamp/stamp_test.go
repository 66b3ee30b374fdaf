package stamp_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"verbatim/internal/stamp"
)

func of(t *testing.T, name string) (stamp.Stamp, bool) {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return stamp.Of(info)
}

func now(t *testing.T, dir string) stamp.Moment {
	t.Helper()
	m, err := stamp.Now(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEveryChangeTells checks that every kind of change gives a settled file another
// stamp at once.
func TestEveryChangeTells(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, change := range []struct {
		what string
		do   func() error
	}{
		{"other bytes", func() error { return os.WriteFile(name, []byte("new"), 0o644) }},
		{"the same bytes", func() error { return os.WriteFile(name, []byte("old"), 0o644) }},
		{"another mode", func() error { return os.Chmod(name, 0o600) }},
		{"times", func() error { return os.Chtimes(name, time.Now(), time.Now().Add(-time.Hour)) }},
		{"replaced", func() error { return os.Rename(other, name) }},
		{"removed and written", func() error { return os.WriteFile(name, []byte("old"), 0o644) }},
	} {
		os.Remove(name)
		write(t, name, "old")
		write(t, other, "old")
		time.Sleep(2 * stamp.Margin)
		before, ok := of(t, name)
		if !ok {
			t.Skip("this system's stamps do not tell enough")
		}
		if !before.Settled(now(t, dir)) {
			t.Errorf("%s: a file that was left alone is in doubt: %+v", change.what, before)
		}
		if change.what == "removed and written" {
			os.Remove(name)
		}
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		if change.what != "times" { // a program may set the time back to what it was
			if err := os.Chtimes(name, time.Now(), time.Unix(0, before.Modified)); err != nil {
				t.Fatal(err)
			}
		}
		after, _ := of(t, name)
		if after == before {
			t.Errorf("%s: the stamp is the same", change.what)
		}
	}
}

// TestYoung checks that a stamp is not settled when the file was just written, is on
// another file system or has times in the future, and never by the zero Moment.
func TestYoung(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	write(t, name, "x")
	young, ok := of(t, name)
	if !ok {
		t.Skip("this system's stamps do not tell enough")
	}
	old := young
	old.Changed -= int64(time.Hour)
	old.Modified -= int64(time.Hour)
	for _, c := range []struct {
		what    string
		change  func(s *stamp.Stamp)
		settled bool
	}{
		{"old", func(*stamp.Stamp) {}, true},
		{"changed now", func(s *stamp.Stamp) { s.Changed = young.Changed }, false},
		{"modified now", func(s *stamp.Stamp) { s.Modified = young.Modified }, false},
		{"modified tomorrow", func(s *stamp.Stamp) { s.Modified += int64(25 * time.Hour) }, false},
		{"elsewhere", func(s *stamp.Stamp) { s.Device++ }, false},
		{"empty", func(s *stamp.Stamp) { *s = stamp.Stamp{} }, false},
	} {
		s := old
		c.change(&s)
		if got := s.Settled(now(t, dir)); got != c.settled {
			t.Errorf("%s: settled is %t", c.what, got)
		}
		if s.Settled(stamp.Moment{}) {
			t.Errorf("%s: settled at no moment", c.what)
		}
	}
}

// TestNoStamp checks that only regular files have a stamp.
func TestNoStamp(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{dir, link} {
		if s, ok := of(t, name); ok {
			t.Errorf("%s has the stamp %+v", name, s)
		}
	}
}

// TestFolder checks that the stamp of a directory changes when an entry is added,
// renamed or removed.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	folder, name := filepath.Join(dir, "folder"), filepath.Join(dir, "folder", "a")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	last := stamp.Stamp{}
	for _, change := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(name, nil, 0o644) },
		func() error { return os.Rename(name, name+"b") },
		func() error { return os.Remove(name + "b") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(folder)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := stamp.OfFolder(info)
		if !ok {
			t.Skip("this system's stamps do not tell enough")
		}
		if s == last {
			t.Errorf("the stamp is the same: %+v", s)
		}
		last = s
		time.Sleep(2 * stamp.Margin)
	}
	write(t, name, "x")
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := stamp.OfFolder(info); ok {
		t.Errorf("a file has the stamp of a folder: %+v", s)
	}
}

// TestRenamed checks that Renamed distinguishes an atomic write from a write to the file
// itself.
func TestRenamed(t *testing.T) {
	dir := t.TempDir()
	began := now(t, dir)
	aside, name := filepath.Join(dir, "aside"), filepath.Join(dir, "a")
	write(t, aside, "x")
	time.Sleep(stamp.Margin)
	if err := os.Rename(aside, name); err != nil {
		t.Fatal(err)
	}
	s, ok := of(t, name)
	if !ok || s.Changed == s.Modified {
		t.Skip("this file system does not tell a rename")
	}
	if !s.Renamed(began) || s.Renamed(now(t, dir)) {
		t.Errorf("renamed is %t since before, %t since after", s.Renamed(began), s.Renamed(now(t, dir)))
	}
	write(t, name, "x")
	if s, _ := of(t, name); s.Renamed(began) {
		t.Error("a file that was written to counts as renamed")
	}
}

// TestTable checks that a table keeps the entries that were added or found, drops the
// others, and is empty when its file is damaged.
func TestTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stamps")
	a, b := stamp.Stamp{Device: 1, Inode: 2, Size: 3, Modified: 4, Changed: 5}, stamp.Stamp{Inode: 1 << 63, Modified: -1}
	sumA, sumB := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	table := stamp.Open(file)
	table.Note(a, sumA)
	table.Note(b, sumB)
	save := func() {
		t.Helper()
		if err := table.Save(file); err != nil {
			t.Fatal(err)
		}
	}
	save()
	table = stamp.Open(file)
	if sum, ok := table.Sum(b); !ok || sum != sumB {
		t.Fatalf("b is %x, %t", sum, ok)
	}
	save()
	table = stamp.Open(file)
	if _, ok := table.Sum(a); ok {
		t.Error("what nobody asked for is kept")
	}
	if sum, ok := table.Sum(b); !ok || sum != sumB {
		t.Errorf("what was asked for is %x, %t", sum, ok)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := append([]byte(nil), data...)
		damaged[i] ^= 1
		write(t, file, string(damaged))
		if _, ok := stamp.Open(file).Sum(b); ok {
			t.Errorf("with byte %d damaged it is believed", i)
		}
		write(t, file, string(data[:i]))
		if _, ok := stamp.Open(file).Sum(b); ok {
			t.Errorf("cut at byte %d it is believed", i)
		}
	}
}
