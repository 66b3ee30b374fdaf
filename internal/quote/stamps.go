package quote

import (
	"io/fs"

	"verbatim/internal/stamp"
)

// What is as it was needs no reading: a page is known by the stamp that it had
// when its bytes were read, and the names in a folder by that of the folder.
//
// Bytes still decide. A stamp only says which bytes they are: it holds the time
// of the last change of the inode, which no program can set, so an edit in
// place shows even where size and time of modification were put back. A stamp
// is noted only where it was older than the file system's own clock before the
// reading began, so that no later change can fall on the same tick; and it is
// that of the file that was read, by its handle, so that names do not matter.
// A copy of the whole folder, cache included, has other inodes and times, and
// is read. Where a stamp says nothing (a link, another system, another file
// system than that of the cache) the page is read.

// momentIn gives the time of the file system of folder dir; the zero moment
// settles no stamp.
func momentIn(dir string) stamp.Moment {
	if makeCache(dir) != nil {
		return stamp.Moment{}
	}
	m, err := stamp.Now(dir)
	if err != nil {
		return stamp.Moment{}
	}
	return m
}

// now gives a moment before what is read from now on.
func (c *cache) now() stamp.Moment {
	if c == nil {
		return stamp.Moment{}
	}
	return c.moment()
}

// sum gives the digest of the page at p, if it was read before.
func (c *cache) sum(p place) (sum stamp.Sum, known bool) {
	if c == nil || len(c.has.files) == 0 || p.info == nil {
		return sum, false
	}
	info, err := p.info()
	if err != nil {
		return sum, false // reading it will say why
	}
	s, tells := stamp.Of(info)
	if !tells {
		return sum, false
	}
	return recalled(c, s, c.has.files, c.use.files)
}

// noteSum keeps the digest of a file that was read after m.
func (c *cache) noteSum(m stamp.Moment, info fs.FileInfo, sum stamp.Sum) {
	if c == nil || info == nil {
		return
	}
	if s, tells := stamp.Of(info); tells {
		note(c, m, s, c.use.files, sum)
	}
}

// entries gives what lay in a folder that was listed before.
func (c *cache) entries(info fs.FileInfo) (files []entry, known bool) {
	s, tells := stamp.OfFolder(info)
	if c == nil || !tells {
		return nil, false
	}
	return recalled(c, s, c.has.folders, c.use.folders)
}

// noteEntries keeps what lay in a folder that was listed after m.
func (c *cache) noteEntries(m stamp.Moment, info fs.FileInfo, files []entry) {
	s, tells := stamp.OfFolder(info)
	if c == nil || !tells {
		return
	}
	note(c, m, s, c.use.folders, files)
}

// recalled gives what the last file has by a stamp, and keeps it for the next.
func recalled[V any](c *cache, s stamp.Stamp, has, use map[stamp.Stamp]V) (v V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, known = has[s]; known {
		use[s] = v
	}
	return v, known
}

// note keeps what was read after m by the stamp that it had, if that is settled.
func note[V any](c *cache, m stamp.Moment, s stamp.Stamp, use map[stamp.Stamp]V, v V) {
	if !s.Settled(m) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	use[s] = v
	c.changed = true
}
