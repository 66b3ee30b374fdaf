// Package stamp detects unchanged files by their metadata, so that a caller need not
// read them again. A Table maps stamps of files to digests of their content. A stamp
// is used only if it is settled, that is, if no later change can leave it the same;
// the caller reads every other file.
package stamp

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Stamp identifies one state of a file. Writing to the file, replacing it or setting
// its times updates Changed, which no program can set.
type Stamp struct {
	Device, Inode     uint64
	Size              int64 // in bytes
	Modified, Changed int64 // mtime and ctime in nanoseconds since 1970, by the file system's clock
}

// Moment is a point in time by the clock of one file system. The zero Moment is on no
// file system, so it settles no stamp.
type Moment struct {
	device uint64
	at     int64
}

// Margin is how much older than a Moment a stamp must be to be settled. It allows for
// a clock that is set back a little and so counts the same times twice.
const Margin = 100 * time.Millisecond

// Now returns the current time of the file system of the directory dir. It writes a
// file there, reads its time and removes it, because the file system's clock may
// differ from the machine's. It returns an error when it cannot write the file.
func Now(dir string) (Moment, error) {
	file, err := os.CreateTemp(dir, "now-*")
	if err != nil {
		return Moment{}, fmt.Errorf("tell the time: %w", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.WriteString("now\n"); err != nil {
		return Moment{}, fmt.Errorf("tell the time: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return Moment{}, fmt.Errorf("tell the time: %w", err)
	}
	s, _ := Of(info) // on failure, the zero stamp makes a Moment that settles nothing
	return Moment{s.Device, s.Changed}, nil
}

// Of returns the stamp of a regular file. It returns false for every other kind of file
// and on systems whose metadata does not reveal every change. info must be from
// os.Lstat or of an open file, so that it does not follow a link.
func Of(info fs.FileInfo) (Stamp, bool) {
	if !info.Mode().IsRegular() {
		return Stamp{}, false
	}
	return of(info)
}

// OfFolder is Of for a directory. The stamp of a directory changes when an entry is
// added, removed or renamed, and not when the content of a file changes.
func OfFolder(info fs.FileInfo) (Stamp, bool) {
	if !info.IsDir() {
		return Stamp{}, false
	}
	return of(info)
}

// Settled reports whether every change of the file from m on results in a different
// stamp, because the times of s are at least Margin before m and cannot fall on the
// same tick of the clock. Git applies the same rule to its index ("racy git"). So
// content that was read after m is still the file's content for as long as its
// stamp is s.
func (s Stamp) Settled(m Moment) bool {
	last := max(s.Modified, s.Changed)
	return s.Device == m.device && last > 0 && last <= m.at-int64(Margin)
}

// Renamed reports whether the file was written after m and renamed later, as an atomic
// write does. A write to the file itself leaves Modified and Changed equal.
func (s Stamp) Renamed(m Moment) bool {
	return s.Device == m.device && m.at <= s.Modified && s.Modified < s.Changed
}
