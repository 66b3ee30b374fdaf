package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOwnerGone(t *testing.T) {
	own := Owner()
	fields := strings.Split(own, ".")
	if len(fields) != 4 || strings.ContainsAny(own, "/\\: ") {
		t.Fatalf("owner %q is not four plain parts", own)
	}
	change := func(i int, value string) string {
		changed := append([]string{}, fields...)
		changed[i] = value
		return strings.Join(changed, ".")
	}
	tests := []struct {
		name, owner string
		want        bool
	}{
		{"this process", own, false},
		{"a pid that was given away", change(3, "1"), true},
		{"a pid that is free", change(2, "999999999"), true},
		{"before the last boot", change(1, "000000000000"), true},
		{"another machine", change(0, "000000000000"), false},
		{"pid 0", change(2, "0"), false},
		{"pid -1", change(2, "-1"), false},
		{"no pid", change(2, "x"), false},
		{"five parts", own + ".x", false},
		{"nothing", "", false},
	}
	for _, test := range tests {
		if got := OwnerGone(test.owner); got != test.want {
			t.Errorf("%s (%s): got %t, want %t", test.name, test.owner, got, test.want)
		}
	}
}

func TestScratch(t *testing.T) {
	cache := t.TempDir()
	first, removeFirst, err := Scratch(cache, "exh5050")
	if err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := Scratch(cache, "exh5050")
	if err != nil {
		t.Fatal(err)
	}
	if first == second || filepath.Dir(first) != filepath.Join(cache, "tmp", Owner()) {
		t.Errorf("got %q and %q", first, second)
	}
	// A folder that its program made unwritable goes too.
	if err := os.MkdirAll(first+"/locked/inner", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(first+"/locked", 0); err != nil {
		t.Fatal(err)
	}
	removeFirst()
	removeFirst()
	if _, err := os.Stat(second); err != nil {
		t.Errorf("the other folder is gone too: %v", err)
	}
	removeSecond()
	if entries, err := os.ReadDir(filepath.Join(cache, "tmp")); err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// Sweep follows no link out of its folder and takes nothing that it cannot tell
// the owner of.
func TestSweepKeepsWhatIsNotItsOwn(t *testing.T) {
	cache, outside := t.TempDir(), t.TempDir()
	fields := strings.Split(Owner(), ".")
	gone := strings.Join([]string{fields[0], fields[1], "999999999", "1"}, ".")
	if err := os.WriteFile(outside+"/kept", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes", "a.b.c.d", gone} {
		if err := os.MkdirAll(filepath.Join(cache, "tmp", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(cache, "tmp", gone, "link")); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(cache); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		outside + "/kept":                    true,
		filepath.Join(cache, "tmp/notes"):    true,
		filepath.Join(cache, "tmp/a.b.c.d"):  true,
		filepath.Join(cache, "tmp/"+gone):    false,
		filepath.Join(cache, "tmp"):          true,
		filepath.Join(cache, "tmp", Owner()): false,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: exists %t, want %t", path, err == nil, want)
		}
	}
	if err := Sweep(filepath.Join(cache, "nowhere")); err != nil {
		t.Errorf("a cache that is not there: %v", err)
	}
}

// A recorded program whose build and supervisor are gone is ended by the sweep,
// but only while it is the very process that was recorded.
func TestSweepEndsRecordedPrograms(t *testing.T) {
	p, err := Start(t.Context(), Spec{Args: []string{"sleep", "600"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	start, _ := life(p.tree.id())
	sweep := func(start string) {
		t.Helper()
		cache := t.TempDir()
		fields := strings.Split(Owner(), ".")
		dir := filepath.Join(cache, "tmp", strings.Join([]string{fields[0], fields[1], "999999999", "1"}, "."))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		record(filepath.Join(dir, "example-1"), p.tree.id())
		if start == "1" {
			file := filepath.Join(dir, "example-1"+recordSuffix)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pid, _, _ := strings.Cut(string(text), " ")
			if err := os.WriteFile(file, []byte(pid+" 1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Sweep(cache); err != nil {
			t.Fatal(err)
		}
	}
	sweep("1")
	if _, is := life(p.tree.id()); is != alive {
		t.Fatal("a process that was not the recorded one was ended")
	}
	sweep(start)
	if got, err := p.Wait(); err != nil || got.Code != -1 {
		t.Errorf("the recorded program: %v, %v", got, err)
	}
}
