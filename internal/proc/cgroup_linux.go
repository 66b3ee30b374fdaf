package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// cgroupPrefix begins the name of each cgroup of ours: the owner follows, then
// a number, so that a sweep knows whose it was.
const cgroupPrefix = "verbatim-"

// cgroup is the folder of a cgroup (version 2) of ours.
type cgroup string

var cgroupCount atomic.Int64

// newCgroup makes an empty cgroup. Where this process may not, or the kernel is
// too old to kill one (before 5.14), it is an error.
func newCgroup() (cgroup, error) {
	parent := ownCgroup()
	if parent == "" {
		return "", errors.New("no cgroup of version 2 holds this process")
	}
	name := fmt.Sprintf("%s%s-%d", cgroupPrefix, Owner(), cgroupCount.Add(1))
	g := cgroup(filepath.Join(parent, name))
	if err := os.Mkdir(string(g), 0o755); err != nil {
		return "", err
	}
	if _, err := os.Stat(g.file("cgroup.kill")); err != nil {
		return "", errors.Join(err, os.Remove(string(g)))
	}
	return g, nil
}

func (g cgroup) file(name string) string { return filepath.Join(string(g), name) }

func (g cgroup) write(file, text string) error {
	f, err := os.OpenFile(g.file(file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// kill ends every process in the cgroup, those that are being born included.
func (g cgroup) kill() error { return g.write("cgroup.kill", "1") }

// freeze halts every process in the cgroup, or lets them go on, and returns
// once that holds.
func (g cgroup) freeze(halt bool) error {
	text := map[bool]string{true: "1", false: "0"}[halt]
	if err := g.write("cgroup.freeze", text); err != nil {
		return err
	}
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(time.Millisecond) {
		events, err := os.ReadFile(g.file("cgroup.events"))
		if err != nil {
			return err
		}
		if strings.Contains(string(events), "frozen "+text) {
			return nil
		}
	}
	return errors.New("the program did not halt")
}

// remove ends what is in the cgroup and deletes it, with the cgroups that a
// program made below it. What was killed takes a moment to be gone.
func (g cgroup) remove() error {
	var err error
	for until := time.Now().Add(patience / 2); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if err = os.Remove(string(g)); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := g.kill(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		g.removeBelow()
	}
	return err
}

func (g cgroup) removeBelow() {
	entries, err := os.ReadDir(string(g))
	if err != nil {
		return // remove says why it cannot be deleted
	}
	for _, e := range entries {
		if e.IsDir() {
			below := cgroup(g.file(e.Name()))
			below.removeBelow()
			_ = os.Remove(string(below)) // it may not be empty yet
		}
	}
}

// ownCgroup is the folder of the cgroup that holds this process, "" where no
// file system shows it.
var ownCgroup = sync.OnceValue(func() string {
	mount, root := cgroupMount()
	if mount == "" {
		return ""
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if !ok {
			continue // a hierarchy of version 1
		}
		below, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(below) {
			return "" // the mount shows another part of the hierarchy
		}
		return filepath.Join(mount, below)
	}
	return ""
})

// cgroupMount finds where version 2 is mounted, and which folder of its
// hierarchy the mount shows. Beside version 1 it may be anywhere.
func cgroupMount() (mount, root string) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if mount, root, ok := parseMount(lines.Text()); ok {
			return mount, root
		}
	}
	return "", ""
}

// parseMount reads a line of mountinfo; ok reports whether it is of cgroups,
// version 2.
func parseMount(line string) (mount, root string, ok bool) {
	before, after, found := strings.Cut(line, " - ")
	fields := strings.Fields(before)
	if !found || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
		return "", "", false
	}
	return fields[4], fields[3], true
}

// sweepCgroups ends what killed builds of this machine left running, wherever
// in the hierarchy they ran.
func sweepCgroups() error {
	mount, _ := cgroupMount()
	if mount == "" {
		return nil
	}
	return filepath.WalkDir(mount, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // another user's, or just gone
		}
		if !d.IsDir() {
			return nil
		}
		owner, ours := cgroupOwner(d.Name())
		if !ours {
			return nil
		}
		if OwnerGone(owner) {
			if err := cgroup(path).remove(); err != nil {
				return fmt.Errorf("end what a killed build left: %w", err)
			}
		}
		return fs.SkipDir
	})
}

// cgroupOwner is the owner in the name of one of our cgroups.
func cgroupOwner(name string) (owner string, ours bool) {
	name, ours = strings.CutPrefix(name, cgroupPrefix)
	if !ours {
		return "", false
	}
	last := strings.LastIndexByte(name, '-')
	return name[:max(last, 0)], last > 0
}
