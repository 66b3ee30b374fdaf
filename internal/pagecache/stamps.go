package pagecache

import (
	"io/fs"

	"verbatim/internal/stamp"
)

// A stamp only identifies bytes. It holds the time of the last change of the inode,
// which no program can set, so it differs after an edit in place that restores the size
// and the time of modification. A stamp is noted only if it was older than the clock of
// the file system before the file was read, so that no later change can have the same
// time; and it is taken from the open file, so that names do not matter. A copy of the
// whole folder with its cache has other inodes and times, and is read. Without a usable
// stamp (a link, another system, another file system than that of the cache) a page is
// read.

// Entry is a name in a folder.
type Entry struct {
	Name string
	Type fs.FileMode // type bits
}

// momentIn returns the time of the file system of the folder dir, or the zero moment, at
// which no stamp is settled.
func momentIn(dir string) stamp.Moment {
	if makeDir(dir) != nil {
		return stamp.Moment{}
	}
	m, err := stamp.Now(dir)
	if err != nil {
		return stamp.Moment{}
	}
	return m
}

// Now returns a moment before everything that is read from now on, for NoteSum and
// NoteEntries.
func (c *Cache) Now() stamp.Moment {
	if c == nil {
		return stamp.Moment{}
	}
	return c.moment()
}

// Sum returns the digest of a file that was read before, by its stamp. It calls stat,
// which may be nil, only if the cache has the stamp of any file.
func (c *Cache) Sum(stat func() (fs.FileInfo, error)) (sum stamp.Sum, known bool) {
	if c == nil || len(c.has.files) == 0 || stat == nil {
		return sum, false
	}
	info, err := stat()
	if err != nil {
		return sum, false // reading the file returns the reason
	}
	s, ok := stamp.Of(info)
	if !ok {
		return sum, false
	}
	return find(c, s, c.has.files, c.use.files)
}

// NoteSum stores the digest of a file that was read after m; info is what the open file
// had then. It may be nil.
func (c *Cache) NoteSum(m stamp.Moment, info fs.FileInfo, sum stamp.Sum) {
	if c == nil || info == nil {
		return
	}
	if s, ok := stamp.Of(info); ok {
		note(c, m, s, c.use.files, sum)
	}
}

// Entries returns the entries of a folder that was listed before, by its stamp.
func (c *Cache) Entries(info fs.FileInfo) (files []Entry, known bool) {
	s, ok := stamp.OfFolder(info)
	if c == nil || !ok {
		return nil, false
	}
	return find(c, s, c.has.folders, c.use.folders)
}

// NoteEntries stores the entries of a folder that was listed after m.
func (c *Cache) NoteEntries(m stamp.Moment, info fs.FileInfo, files []Entry) {
	s, ok := stamp.OfFolder(info)
	if c == nil || !ok {
		return
	}
	note(c, m, s, c.use.folders, files)
}

// find returns what the last file has by a stamp, and keeps it for the next file.
func find[V any](c *Cache, s stamp.Stamp, has, use map[stamp.Stamp]V) (v V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, known = has[s]; known {
		use[s] = v
	}
	return v, known
}

// note stores what was read after m by the stamp that it had then, if that is settled.
func note[V any](c *Cache, m stamp.Moment, s stamp.Stamp, use map[stamp.Stamp]V, v V) {
	if !s.Settled(m) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	use[s] = v
	c.changed = true
}
