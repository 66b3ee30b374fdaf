package stamp

import (
	"io/fs"
	"syscall"
)

// of returns the stamp of any kind of file.
func of(info fs.FileInfo) (Stamp, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}, false
	}
	return Stamp{uint64(s.Dev), s.Ino, info.Size(), s.Mtimespec.Nano(), s.Ctimespec.Nano()}, true
}
