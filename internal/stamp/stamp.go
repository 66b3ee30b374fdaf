// Package stamp promises to tell, without reading it, that a file is what it
// was when it was read. In doubt it says nothing, and bytes decide.
package stamp

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Stamp tells one state of a file from every other: whoever writes to the file,
// replaces it or sets its times gives it another time of change, which no
// program can set.
type Stamp struct {
	Device, Inode     uint64
	Size              int64
	Modified, Changed int64 // nanoseconds since 1970, by the clock of the file system
}

// Moment is a time by the clock of one file system.
type Moment struct {
	device uint64
	at     int64
}

// Margin is how much older than a moment a file must be to be settled: a clock
// that is set back a little must not give an old time twice.
const Margin = 100 * time.Millisecond

// Now gives the time of the file system that holds the folder dir, by a file
// that it writes there and removes. The clock of the machine may be another.
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
	s, _ := Of(info) // none settles nothing
	return Moment{s.Device, s.Changed}, nil
}

// Of gives the stamp of a regular file, and false for all others and where the
// system does not tell enough. info is that of the file itself: a link's own
// stamp says nothing of what it leads to.
func Of(info fs.FileInfo) (Stamp, bool) {
	if !info.Mode().IsRegular() {
		return Stamp{}, false
	}
	return of(info)
}

// OfFolder gives the stamp of a folder, which tells the names in it and the kind
// of each: what is added, removed or renamed there changes it. What the files
// hold does not.
func OfFolder(info fs.FileInfo) (Stamp, bool) {
	if !info.IsDir() {
		return Stamp{}, false
	}
	return of(info)
}

// Settled tells whether every change of the file from m on gives it another
// stamp: its times lie so far before m that none can fall on the same tick
// (the rule by which git finds its index too young to be trusted). So a file
// that was read after m, and has a stamp that m settles, is what was read.
func (s Stamp) Settled(m Moment) bool {
	last := max(s.Modified, s.Changed)
	return s.Device == m.device && last > 0 && last <= m.at-int64(Margin)
}

// Renamed tells whether the file was written after m and got its name later:
// an atomic write. Who writes into the file itself leaves two equal times.
func (s Stamp) Renamed(m Moment) bool {
	return s.Device == m.device && m.at <= s.Modified && s.Modified < s.Changed
}
