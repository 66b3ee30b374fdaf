package proc

import (
	"io"
	"sync"
)

// Limited is a writer that keeps the first bytes and throws the rest away, so
// that a program may print without end and the build's memory stays bounded. It
// is safe for use by several goroutines.
type Limited struct {
	mu   sync.Mutex
	w    io.Writer
	left int64
	over func()
	lost bool
}

// Limit writes at most n bytes to w. over, which may be nil, is called once when
// there are more; it must not block.
func Limit(w io.Writer, n int64, over func()) *Limited {
	return &Limited{w: w, left: n, over: over}
}

// Write takes all of p, whatever is left of the limit: a short write would make
// the program's own writes fail.
func (l *Limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	keep := p[:min(int64(len(p)), l.left)]
	l.left -= int64(len(keep))
	if len(keep) > 0 {
		if _, err := l.w.Write(keep); err != nil {
			return 0, err
		}
	}
	if len(keep) < len(p) && !l.lost {
		l.lost = true
		if l.over != nil {
			l.over()
		}
	}
	return len(p), nil
}

// Over reports whether anything was thrown away.
func (l *Limited) Over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}
