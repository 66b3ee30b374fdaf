package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"verbatim/internal/claim"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/publish"
	"verbatim/internal/run"
	"verbatim/internal/stamp"
)

// The cache keeps the result of a build without stale examples. The key is the digest of
// all inputs. A later build with the same key has nothing to do if the output folder is
// unchanged. Digests of bytes decide; stamps save reading unchanged files.

// resultsDir is the folder of the cache for results of builds.
const resultsDir = "site"

// maxResults is how many are kept.
const maxResults = 16

// inputFolders are what a build reads below the root, but for rootFiles and
// the Go packages that examples import from elsewhere.
var (
	inputFolders = []string{load.Content, load.Examples, load.Quotes, "templates"}
	rootFiles    = []string{"go.mod", "go.sum"}
)

// result is the stored result of a build.
type result struct {
	Lessons, Examples int
	Claims            claim.Counts
	Warnings          problem.List
	Output            [sha256.Size]byte // of all files of the site
}

// repeatable reports whether the result of a build with these options may be reused:
// not that of a check, a print or a run of chosen examples.
func (b *build) repeatable() bool { return !b.Check && !b.Rerun && b.Run == nil && b.PDF == "" }

// key returns the digest of everything that decides the result of this build, or ""
// if it cannot be computed; then the site is built. files are the files of inputs,
// and read returns the digests of those that were read already.
func (b *build) key(ctx context.Context, files []string, read func(name string) ([sha256.Size]byte, bool)) string {
	self, err := b.fileStamps.program()
	if err != nil {
		return ""
	}
	known := map[string][sha256.Size]byte{}
	var unread []string
	for _, name := range files {
		if sum, ok := read(name); ok || !isFileInput(name) {
			known[name] = sum
		} else {
			unread = append(unread, name)
		}
	}
	all, err := b.fileStamps.sums(ctx, b.workers(), b.root, unread)
	if err != nil {
		return ""
	}
	maps.Copy(all, known)
	h := sha256.New()
	fmt.Fprintf(h, "%x %t %x", self, b.Strict, digestOf(all))
	return hex.EncodeToString(h.Sum(nil))
}

// executable is the suffix of a second entry in the list of inputs for a file that
// its owner may execute. No file name contains it.
const executable = "\x00executable"

// isFileInput reports whether an entry of the list of inputs is a file, rather
// than a folder or a mode.
func isFileInput(name string) bool {
	return !strings.HasSuffix(name, "/") && !strings.HasSuffix(name, executable)
}

// inputs lists the files that a build may read, and their folders with a slash,
// nil where they cannot be told. Those of examples that may be executed are
// listed a second time, so marked.
func (b *build) inputs() (files []string) {
	for _, dir := range inputFolders {
		err := fs.WalkDir(os.DirFS(b.root.Name()), dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				name += "/" // an empty folder may be an example or a source that lacks its files
			case dir == load.Examples:
				if info, err := b.root.Stat(filepath.FromSlash(name)); err == nil && info.Mode()&0o100 != 0 {
					files = append(files, name+executable)
				}
			}
			files = append(files, name)
			return nil
		})
		if err != nil && !missing(b.root, dir) {
			return nil
		}
	}
	for _, name := range rootFiles {
		if !missing(b.root, name) {
			files = append(files, name)
		}
	}
	return files
}

func missing(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return os.IsNotExist(err)
}

// digestOf digests files with their names.
func digestOf(sums map[string][sha256.Size]byte) (digest [sha256.Size]byte) {
	h := sha256.New()
	var line []byte
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[name]
		line = append(append(line[:0], name...), 0) // which is in no name
		h.Write(append(line, sum[:]...))
	}
	h.Sum(digest[:0])
	return digest
}

// unchanged reports whether an earlier build with the same inputs left the folder
// of the site as it is now, and then reports what that one did. If not, what is
// read from here on is noted.
func (b *build) unchanged(ctx context.Context) bool {
	if !b.repeatable() {
		return false
	}
	b.fileStamps = openStamps(b.cache)
	b.inputFiles = b.inputs()
	b.stage("listed")
	if b.inputFiles == nil {
		return false
	}
	if entries, err := os.ReadDir(filepath.Join(b.cache, resultsDir)); err == nil && len(entries) > 0 && b.isResult(ctx) {
		return true
	}
	return false
}

// isResult reports whether the site is the result of an earlier build with these inputs.
func (b *build) isResult(ctx context.Context) bool {
	unread := func(string) (sum [sha256.Size]byte, read bool) { return sum, false }
	r := b.recall(b.key(ctx, b.inputFiles, unread))
	if r == nil {
		return false
	}
	out, err := os.OpenRoot(b.out)
	if err != nil {
		return false
	}
	defer out.Close()
	names, err := publish.ReadManifest(out)
	if err != nil {
		return false
	}
	sums, err := b.fileStamps.sums(ctx, b.workers(), out, append(names, publish.Manifest))
	if err != nil || digestOf(sums) != r.Output {
		return false
	}
	b.report.Lessons, b.report.Examples, b.report.Claims = r.Lessons, r.Examples, r.Claims
	b.report.Problems = r.Warnings
	b.fileStamps.save()
	return true
}

// recall returns the stored result of a build, or nil. Whatever is damaged is as
// good as missing.
func (b *build) recall(key string) *result {
	if key == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(b.cache, resultsDir, key))
	if err != nil || len(data) < sha256.Size {
		return nil
	}
	sum, data := data[:sha256.Size], data[sha256.Size:]
	if now := sha256.Sum256(data); !bytes.Equal(sum, now[:]) {
		return nil
	}
	var r result
	if gob.NewDecoder(bytes.NewReader(data)).Decode(&r) != nil {
		return nil
	}
	return &r
}

// remember stores the result of this build, if no example is stale and the inputs are
// those that it read. It ignores a cache that cannot be written.
func (b *build) remember(ctx context.Context) {
	problems, _ := b.report.Problems.Count()
	if b.inputFiles == nil || b.outputDigests == nil || problems > 0 || len(b.stale) > 0 || len(b.edits) > 0 || b.reachesOut() {
		return
	}
	if !slices.Equal(b.inputs(), b.inputFiles) || !b.inputDigests.agree(b.inputFiles) || !b.unreadSettled(ctx) {
		return
	}
	key := b.key(ctx, b.inputFiles, b.inputDigests.sum)
	if key == "" {
		return
	}
	var data bytes.Buffer
	r := result{b.report.Lessons, b.report.Examples, b.report.Claims, b.report.Problems, digestOf(b.outputDigests)}
	if gob.NewEncoder(&data).Encode(r) != nil {
		return
	}
	dir := filepath.Join(b.cache, resultsDir)
	if os.MkdirAll(dir, 0o755) != nil {
		return
	}
	file, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(data.Bytes())
	_, err = file.Write(append(sum[:], data.Bytes()...))
	if closed := file.Close(); err != nil || closed != nil || os.Rename(file.Name(), filepath.Join(dir, key)) != nil {
		os.Remove(file.Name())
		return
	}
	forget(dir)
	b.stamp(ctx)
}

// unreadSettled reports whether the files that this build did not read, because
// their stamps were known, are what they were when it began: neither they nor
// the folders that hold them have changed since.
func (b *build) unreadSettled(ctx context.Context) bool {
	var unread []string
	folders := map[string]bool{}
	for _, name := range b.inputFiles {
		if _, read := b.inputDigests.sum(name); isFileInput(name) && !read {
			unread = append(unread, name)
		} else if !strings.HasPrefix(name, load.Quotes+"/") {
			continue // but a source's folder is listed without the notes
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	settled := true
	for dir := range folders {
		info, err := b.root.Lstat(filepath.FromSlash(dir))
		if err != nil {
			return false
		}
		s, ok := stamp.OfFolder(info)
		settled = settled && ok && s.Settled(b.fileStamps.began)
	}
	var unsettled atomic.Bool
	err := inFolders(ctx, b.workers(), b.root, unread, func(folder *os.Root, base, _ string) {
		if s, ok := stampOf(folder, base); !ok || !s.Settled(b.fileStamps.began) {
			unsettled.Store(true)
		}
	})
	return err == nil && settled && !unsettled.Load()
}

// reachesOut reports whether an example depends on files that key does not look
// at.
func (b *build) reachesOut() bool {
	for _, r := range b.records {
		for name := range r.Inputs {
			file, isFile := run.InputFile(name)
			folder, _, _ := strings.Cut(file, "/")
			switch {
			case isFile && !slices.Contains(inputFolders, folder), strings.HasPrefix(name, "replaced "):
				return true
			case b.module != nil && !isFile: // the module's versions come from a go.mod elsewhere
				return true
			}
		}
	}
	return false
}

// forget deletes the oldest results if there are more than maxResults.
func forget(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxResults {
		return
	}
	age := func(e fs.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, e := range entries[:len(entries)-maxResults] {
		os.Remove(filepath.Join(dir, e.Name()))
	}
}
