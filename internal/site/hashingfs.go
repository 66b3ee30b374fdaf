package site

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/load"
	"verbatim/internal/stamp"
)

// hashingFS is a file system that records what a build read of each file: whether it
// exists, and the digest of its bytes, taken as they were read. A file that was
// read in two different states is recorded in unsteady.
type hashingFS struct {
	load.StateFS

	mu       sync.Mutex
	seen     map[string]fileState
	unsteady []string
}

// fileState is the recorded state of a file or folder.
type fileState struct {
	missing    bool
	read       bool              // it was read: the next four hold
	failed     bool              // it could not be read, and sum is the digest of the error
	sum        [sha256.Size]byte // of its bytes
	stamp      stamp.Stamp       // just before they were read; zero where that is not known
	executable bool              // by its owner
	listed     bool              // it is a folder that was listed
	names      string            // its entries, each followed by a line break
}

func newNotedFS(fsys load.StateFS) *hashingFS {
	return &hashingFS{StateFS: fsys, seen: map[string]fileState{}}
}

// note merges the current state of a file into its recorded state.
func (n *hashingFS) note(name string, now fileState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before, known := n.seen[name]
	if !known {
		n.seen[name] = now
		return
	}
	differs := before.missing != now.missing ||
		before.read && now.read && (before.sum != now.sum || before.executable != now.executable) ||
		before.listed && now.listed && before.names != now.names
	if differs && !slices.Contains(n.unsteady, name) {
		n.unsteady = append(n.unsteady, name)
	}
	if now.read {
		now.listed, now.names = before.listed, before.names
		n.seen[name] = now
	} else if now.listed {
		before.listed, before.names = true, now.names
		n.seen[name] = before
	}
}

// changed returns the files that were read in two different states, sorted.
func (n *hashingFS) changed() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(slices.Values(n.unsteady))
}

// sum returns the digest of a file, and whether it was read.
func (n *hashingFS) sum(name string) (sum [sha256.Size]byte, read bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.seen[name]
	return s.sum, s.read
}

// agree reports whether the recorded state of every file agrees with a list of
// inputs, and no file was read in two states.
func (n *hashingFS) agree(inputs []string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	there, children := map[string]bool{}, map[string][]string{}
	for _, name := range inputs {
		name = strings.TrimSuffix(name, "/")
		there[name] = true
		if strings.HasSuffix(name, executable) {
			continue
		}
		children[path.Dir(name)] = append(children[path.Dir(name)], path.Base(name))
	}
	for name, s := range n.seen {
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(inputFolders, top) && !slices.Contains(rootFiles, name) {
			continue
		}
		modeDiffers := top == load.Examples && s.read && !s.failed && s.executable != there[name+executable]
		if there[name] == s.missing || modeDiffers || s.listed && s.names != joinNames(children[name]) {
			return false
		}
	}
	return len(n.unsteady) == 0
}

func joinNames(names []string) string {
	slices.Sort(names)
	return strings.Join(append(names, ""), "\n")
}

// sumOf returns the digest of a file's bytes or, if it could not be read, of err.
func sumOf(data []byte, err error) [sha256.Size]byte {
	if err != nil {
		data = []byte("\x00" + err.Error())
	}
	return sha256.Sum256(data)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// sightingOf returns the state of a file that was read, without its digest.
func sightingOf(info fs.FileInfo, err error) fileState {
	now := fileState{missing: isMissing(err), read: true, failed: err != nil}
	if info != nil {
		now.stamp, _ = stamp.Of(info)
		now.executable = info.Mode()&0o100 != 0
	}
	return now
}

// ReadState reads a file and notes its digest.
func (n *hashingFS) ReadState(name string) ([]byte, fs.FileInfo, error) {
	data, info, err := n.StateFS.ReadState(name)
	now := sightingOf(info, err)
	now.sum = sumOf(data, err)
	n.note(name, now)
	return data, info, err
}

// ReadFile reads a file and notes its digest.
func (n *hashingFS) ReadFile(name string) ([]byte, error) {
	data, _, err := n.ReadState(name)
	return data, err
}

// Open opens a file or folder. What is read from it is recorded.
func (n *hashingFS) Open(name string) (fs.File, error) {
	file, err := n.StateFS.Open(name)
	if err != nil {
		n.note(name, fileState{missing: isMissing(err)})
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return file, nil // reading it returns the error
	}
	if folder, ok := file.(fs.ReadDirFile); ok && info.IsDir() {
		return &notedFolder{folder, n, name}, nil
	}
	return &notedFile{File: file, fsys: n, name: name, info: info, hash: sha256.New()}, nil
}

// notedFile is an open file. Its digest is noted when it is closed.
type notedFile struct {
	fs.File
	fsys   *hashingFS
	name   string
	info   fs.FileInfo
	hash   hash.Hash
	failed error
	closed bool
}

// Read reads from the file and adds to its digest.
func (f *notedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.hash.Write(p[:n])
	if err != nil && err != io.EOF {
		f.failed = err
	}
	return n, err
}

// Close reads the rest of the file, notes its digest and closes it.
func (f *notedFile) Close() error {
	if !f.closed {
		f.closed = true
		_, _ = io.Copy(io.Discard, readerOnly{f}) // Read keeps the error
		now := sightingOf(f.info, f.failed)
		f.hash.Sum(now.sum[:0])
		if f.failed != nil {
			now.sum = sumOf(nil, f.failed)
		}
		f.fsys.note(f.name, now)
	}
	return f.File.Close()
}

// readerOnly hides every method but Read.
type readerOnly struct{ io.Reader }

// notedFolder is an open folder.
type notedFolder struct {
	fs.ReadDirFile
	fsys *hashingFS
	name string
}

// ReadDir lists the folder. Only a complete list is recorded.
func (f *notedFolder) ReadDir(count int) ([]fs.DirEntry, error) {
	entries, err := f.ReadDirFile.ReadDir(count)
	if count <= 0 {
		f.fsys.noteEntries(f.name, entries, err)
	}
	return entries, err
}

// ReadDir lists a folder and notes its names.
func (n *hashingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(n.StateFS, name)
	n.noteEntries(name, entries, err)
	return entries, err
}

func (n *hashingFS) noteEntries(name string, entries []fs.DirEntry, err error) {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	n.note(name, fileState{missing: isMissing(err), listed: err == nil, names: joinNames(names)})
}

// Stat returns the metadata of a file and records whether the file exists.
func (n *hashingFS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(n.StateFS, name)
	n.note(name, fileState{missing: isMissing(err)})
	return info, err
}

// Lstat is Stat without following links.
func (n *hashingFS) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(n.StateFS, name)
	n.note(name, fileState{missing: isMissing(err)})
	return info, err
}

// ReadLink reads a link.
func (n *hashingFS) ReadLink(name string) (string, error) { return fs.ReadLink(n.StateFS, name) }

// stamps returns the digest of each file that was read, by the stamp that the file
// had just before.
func (n *hashingFS) stamps() map[stamp.Stamp][sha256.Size]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	sums := map[stamp.Stamp][sha256.Size]byte{}
	for _, s := range n.seen {
		if s.read && !s.failed && s.stamp != (stamp.Stamp{}) {
			sums[s.stamp] = s.sum
		}
	}
	return sums
}
