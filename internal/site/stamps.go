package site

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"verbatim/internal/load"
	"verbatim/internal/stamp"
)

// stampsFile is the file of the cache for the digests of files by their stamps.
const stampsFile = "stamps"

// manyWritten is from how many written files on it is worth waiting until their
// stamps are settled: reading as many the next time would take longer.
const manyWritten = 500

// tick is the longest interval between two steps of a file system's clock on Linux.
const tick = 10 * time.Millisecond

// stamps tell which files need no reading.
type stamps struct {
	file  string
	known *stamp.Table
	began stamp.Moment // before anything was read
}

// openStamps reads what earlier builds knew. Where the time cannot be told
// nothing new is noted.
func openStamps(cache string) *stamps {
	file := filepath.Join(cache, stampsFile)
	began, err := stamp.Now(cache)
	if err != nil {
		began = stamp.Moment{}
	}
	return &stamps{file, stamp.Open(file), began}
}

// save keeps them for later builds. A cache that cannot be written is none of
// the author's concern.
func (s *stamps) save() { _ = s.known.Save(s.file) }

// runningProgram is the digest of the running program's file.
var runningProgram = sync.OnceValues(func() (digest [sha256.Size]byte, err error) {
	name, err := os.Executable()
	if err != nil {
		return digest, err
	}
	file, err := os.Open(name)
	if err != nil {
		return digest, err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	h.Sum(digest[:0])
	return digest, err
})

// program is the digest of the running program: another one may draw otherwise.
func (s *stamps) program() (digest [sha256.Size]byte, err error) {
	name, err := os.Executable()
	if err != nil {
		return digest, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return digest, err
	}
	return s.sum(info, runningProgram)
}

// sum returns the digest of a file by its stamp, or else by reading it.
func (s *stamps) sum(info fs.FileInfo, read func() ([sha256.Size]byte, error)) ([sha256.Size]byte, error) {
	is, tells := stamp.Of(info)
	if sum, known := s.known.Sum(is); tells && known {
		return sum, nil
	}
	sum, err := read()
	if err == nil && tells && is.Settled(s.began) {
		s.known.Note(is, sum)
	}
	return sum, err
}

// sums returns the digest of each file below root.
func (s *stamps) sums(ctx context.Context, workers int, root *os.Root, files []string) (map[string][sha256.Size]byte, error) {
	var mu sync.Mutex
	sums := make(map[string][sha256.Size]byte, len(files))
	err := inFolders(ctx, workers, root, files, func(folder *os.Root, base, name string) {
		sum := s.sumOf(root, folder, base, name)
		mu.Lock()
		defer mu.Unlock()
		sums[name] = sum
	})
	return sums, err
}

// sumOf returns the digest of a file that is called base in folder and name below
// root.
func (s *stamps) sumOf(root, folder *os.Root, base, name string) [sha256.Size]byte {
	read := func() ([sha256.Size]byte, error) {
		data, err := fs.ReadFile(load.Files(folder), base)
		if err != nil { // it may be a link to elsewhere below root
			data, err = fs.ReadFile(load.Files(root), name)
		}
		return sumOf(data, err), err
	}
	var sum [sha256.Size]byte
	info, err := folder.Lstat(base)
	if err != nil {
		sum, _ = read()
		return sum
	}
	sum, _ = s.sum(info, read)
	return sum
}

// inFolders visits files below root, those of a folder together: finding the
// way to each anew takes longer than reading it. Those of a folder that cannot
// be opened are visited by their paths. Several goroutines visit.
func inFolders(ctx context.Context, workers int, root *os.Root, files []string, visit func(folder *os.Root, base, name string)) error {
	folders := map[string][]string{}
	for _, name := range files {
		folders[path.Dir(name)] = append(folders[path.Dir(name)], name)
	}
	var jobs []func() error
	for dir, names := range folders {
		jobs = append(jobs, func() error {
			folder, err := root.OpenRoot(filepath.FromSlash(dir))
			if err != nil {
				for _, name := range names {
					visit(root, name, name)
				}
				return nil
			}
			defer folder.Close()
			for _, name := range names {
				visit(folder, path.Base(name), name)
			}
			return nil
		})
	}
	return runAll(ctx, workers, jobs)
}

// workers returns how many jobs of the build may run at once.
func (b *build) workers() int { return cmp.Or(b.Workers, runtime.GOMAXPROCS(0)) }

// stamp notes the stamps of all files that this build read and wrote, as far as
// they are settled, and saves them.
func (b *build) stamp(ctx context.Context) {
	b.stampInputs()
	if b.report.Written >= manyWritten {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(b.writtenAt.Add(stamp.Margin + tick))):
		}
	}
	if err := b.stampOutput(ctx); err == nil {
		b.fileStamps.save()
	}
}

// stampInputs notes what was read, by the stamps that the files had then: one
// that was settled before the build began is no other bytes' stamp.
func (b *build) stampInputs() {
	for is, sum := range b.inputDigests.stamps() {
		if is.Settled(b.fileStamps.began) {
			b.fileStamps.known.Note(is, sum)
		}
	}
}

// stampOutput notes what was written: the build began, wrote a file aside, and
// renamed it. What did not come about like that is read the next time.
func (b *build) stampOutput(ctx context.Context) error {
	now, err := stamp.Now(b.cache)
	if err != nil {
		return err
	}
	out, err := os.OpenRoot(b.out)
	if err != nil {
		return fmt.Errorf("look at the site: %w", err)
	}
	defer out.Close()
	return inFolders(ctx, b.workers(), out, slices.Collect(maps.Keys(b.outputDigests)), func(folder *os.Root, base, name string) {
		s, ok := stampOf(folder, base)
		ours := s.Settled(b.fileStamps.began) || s.Renamed(b.fileStamps.began)
		if ok && ours && s.Settled(now) {
			b.fileStamps.known.Note(s, b.outputDigests[name])
		}
	})
}

// stampOf returns the stamp of a file in folder, if it has one.
func stampOf(folder *os.Root, name string) (stamp.Stamp, bool) {
	info, err := folder.Lstat(name)
	if err != nil {
		return stamp.Stamp{}, false
	}
	return stamp.Of(info)
}
