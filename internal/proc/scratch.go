package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// recordSuffix marks the file beside a scratch folder that names the program
// working in it: its pid and start time.
const recordSuffix = ".process"

// folders protects the owner's folder, which comes with the first scratch folder
// and goes with the last.
var folders sync.Mutex

// Scratch makes an empty folder for this process below cache, named after name.
// Its path is absolute. remove deletes it with all it holds; what a killed
// build could not remove, Sweep does.
func Scratch(cache, name string) (dir string, remove func(), err error) {
	folders.Lock()
	defer folders.Unlock()
	owned, err := filepath.Abs(filepath.Join(cache, "tmp", Owner()))
	if err != nil {
		return "", nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	if err := os.MkdirAll(owned, 0o700); err != nil {
		return "", nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	dir, err = os.MkdirTemp(owned, name+"-*")
	if err != nil {
		return "", nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	return dir, sync.OnceFunc(func() { removeScratch(dir) }), nil
}

// removeScratch leaves what cannot be removed to the next build's Sweep.
func removeScratch(dir string) {
	folders.Lock()
	defer folders.Unlock()
	owned, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer owned.Close()
	_ = removeAll(owned, filepath.Base(dir))
	_ = os.Remove(filepath.Dir(dir)) // fails as long as others are in it
}

// record notes beside a scratch folder which program works in it, and returns
// what takes the note away again. Nothing depends on it on Linux unless a
// supervisor is killed as well, so failing to write it is no error.
func record(scratch string, pid int) (forget func()) {
	if scratch == "" {
		return func() {}
	}
	start, _ := life(pid)
	file := scratch + recordSuffix
	_ = os.WriteFile(file, fmt.Appendf(nil, "%d %s\n", pid, start), 0o600)
	return func() { _ = os.Remove(file) }
}

// ScratchRoot returns a folder of this user for Scratch that is not below dir. It
// is in the system's folder for temporary files or, if programs may not be
// started from there, in the user's folder for caches. It must be outside of the
// site because some programs search all parent folders, as Node does for
// node_modules. It returns an error if neither folder can be used.
func ScratchRoot(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find a folder to run programs in: %w", err)
	}
	places := []string{os.TempDir()}
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, cache)
	}
	places = append(places, "/tmp", "/var/tmp") // where TMPDIR is in dir
	for _, place := range places {
		place, err := filepath.EvalSymlinks(place)
		if err != nil {
			continue
		}
		if below, err := filepath.Rel(dir, place); err != nil || filepath.IsLocal(below) || !mayExecute(place) {
			continue
		}
		own := filepath.Join(place, "verbatim-"+strconv.Itoa(os.Getuid()))
		_ = os.Mkdir(own, 0o700) // it may be there
		if info, err := os.Lstat(own); err == nil && info.IsDir() && info.Mode().Perm()&0o022 == 0 && isOurs(info) {
			return own, nil
		}
	}
	return "", fmt.Errorf("find a folder to run programs in: neither of %s is one outside of the site: set TMPDIR", strings.Join(places, ", "))
}

// Sweep ends the programs that builds of this machine left when they were
// killed, and removes their scratch folders below each cache. What a running
// build or another machine owns stays.
func Sweep(caches ...string) error {
	if err := sweepCgroups(); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	for _, cache := range caches {
		if err := sweepScratch(cache); err != nil {
			return err
		}
	}
	return nil
}

func sweepScratch(cache string) error {
	root, err := os.OpenRoot(filepath.Join(cache, "tmp"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep scratch folders: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("sweep scratch folders: %w", err)
	}
	for _, e := range entries {
		if !OwnerGone(e.Name()) {
			continue
		}
		endRecorded(root, e.Name())
		if err := removeAll(root, e.Name()); err != nil {
			return fmt.Errorf("sweep scratch folders: %w", err)
		}
	}
	return nil
}

// endRecorded kills the programs recorded in an owner's folder, if each is still
// the one that was recorded.
func endRecorded(root *os.Root, owner string) {
	if !sameBoot(owner) {
		return // the pids are those of an earlier start of the machine
	}
	entries, err := fs.ReadDir(root.FS(), owner)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), recordSuffix) {
			continue
		}
		text, err := root.ReadFile(filepath.Join(owner, e.Name()))
		if err != nil {
			continue
		}
		number, recorded, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		pid, err := strconv.Atoi(number)
		if err != nil || pid <= 1 {
			continue
		}
		if start, is := life(pid); is == alive && start == recorded {
			killGroup(pid)
		}
	}
}

func sameBoot(owner string) bool {
	fields := strings.Split(owner, ".")
	return len(fields) == 4 && fields[1] == boot()
}

// removeAll deletes name and all below it, folders too that a program made
// unwritable.
func removeAll(root *os.Root, name string) error {
	if err := root.RemoveAll(name); err == nil {
		return nil
	}
	_ = fs.WalkDir(root.FS(), filepath.ToSlash(name), func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(path, 0o700) // RemoveAll below says what still fails
		}
		return nil
	})
	return root.RemoveAll(name)
}
