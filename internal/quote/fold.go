package quote

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// viewKind names a further fold of a reading.
type viewKind int

const (
	typographyView viewKind = iota
	// dashView is typography in which "--" between words is a dash, and
	// dashes are not hyphens: the two may not be equal in one fold, or
	// "btn--primary" would be "btn-primary".
	dashView
	spacingView
)

// view is a folded text that remembers where its bytes came from.
type view struct {
	text string
	cuts []cut // in order; the first is at 0
}

// cut maps the byte at of a view to the byte src of the reading.
// The wide bytes from there on are what one character became; after them, and
// where wide is 0, offsets run in step until the next cut.
type cut struct{ at, src, wide int }

// source returns the offset in the reading for one in the view; ok is false
// inside what one character became.
func (v *view) source(at int) (src int, ok bool) {
	c := v.cuts[sort.Search(len(v.cuts), func(i int) bool { return v.cuts[i].at > at })-1]
	return c.src + at - c.at, c.wide == 0 || at == c.at
}

// view returns a fold of the reading, made once.
func (r *reading) view(kind viewKind) *view {
	if r.views[kind] == nil {
		r.views[kind] = fold(r.text, kind)
	}
	return r.views[kind]
}

// fold makes a view of a text that is already in the exact fold.
func fold(s string, kind viewKind) *view {
	f := folder{kind: kind, src: s}
	f.cuts = append(f.cuts, cut{})
	f.out.Grow(len(s))
	for f.pos < len(s) {
		if n := f.unchanged(); n > 0 {
			f.out.WriteString(s[f.pos : f.pos+n])
			f.pos += n
			continue
		}
		f.step()
	}
	return &view{f.out.String(), f.cuts}
}

type folder struct {
	kind viewKind
	src  string
	pos  int
	out  strings.Builder
	cuts []cut
}

// unchanged counts the bytes from pos on that no fold touches.
func (f *folder) unchanged() int {
	for i := f.pos; i < len(f.src); i++ {
		switch c := f.src[i]; {
		case c >= utf8.RuneSelf, c == ' ' && f.kind == spacingView, c == '-' && f.kind == dashView:
			return i - f.pos
		}
	}
	return len(f.src) - f.pos
}

// step folds the character at pos.
func (f *folder) step() {
	if f.src[f.pos] == ' ' {
		f.foldSpace()
		return
	}
	if f.kind == dashView {
		if n := dashAt(f.src, f.pos); n > 0 {
			f.replace(n, "—")
			return
		}
	}
	r, size := utf8.DecodeRuneInString(f.src[f.pos:])
	if to := typographic(r); to != "" {
		f.replace(size, to)
		return
	}
	f.out.WriteString(f.src[f.pos : f.pos+size])
	f.pos += size
}

// foldSpace drops the space at pos before closing and after opening marks.
func (f *folder) foldSpace() {
	before, after := f.out.String(), f.src[f.pos+1:]
	if before != "" && strings.IndexByte("([{", before[len(before)-1]) >= 0 ||
		after != "" && strings.IndexByte(",.;:!?)]}%", foldedFirst(after)) >= 0 {
		f.replace(1, "")
		return
	}
	f.out.WriteByte(' ')
	f.pos++
}

// foldedFirst returns the first byte of s once it is folded.
func foldedFirst(s string) byte {
	r, _ := utf8.DecodeRuneInString(s)
	if to := typographic(r); to != "" {
		return to[0]
	}
	return s[0]
}

// replace writes to for the next n bytes.
func (f *folder) replace(n int, to string) {
	at := f.out.Len()
	if len(to) > 0 {
		f.cuts = append(f.cuts, cut{at, f.pos, len(to)})
	}
	f.out.WriteString(to)
	f.pos += n
	f.cuts = append(f.cuts, cut{at + len(to), f.pos, 0})
}

// dashAt returns the length in bytes of the dash at pos, or 0: an en or em dash,
// or "--" between spaces or between words. A "--" that begins a word is a
// flag.
func dashAt(s string, pos int) int {
	for _, dash := range []string{"–", "—", "―"} {
		if strings.HasPrefix(s[pos:], dash) {
			return len(dash)
		}
	}
	if !strings.HasPrefix(s[pos:], "--") {
		return 0
	}
	before, _ := utf8.DecodeLastRuneInString(s[:pos])
	after, _ := utf8.DecodeRuneInString(s[pos+2:])
	if before == ' ' && after == ' ' || isWordRune(before) && isWordRune(after) {
		return 2
	}
	return 0
}

// typographic returns what a character is in plain ASCII typing, or "".
func typographic(r rune) string {
	switch r {
	case '‘', '’', '‚', '‛', '‹', '›':
		return "'"
	case '“', '”', '„', '‟', '«', '»':
		return `"`
	case '‐', '‑', '‒', '–', '—', '―':
		return "-"
	case '…':
		return "..."
	}
	if 0xFB00 <= r && r <= 0xFB06 {
		return ligatures[r-0xFB00]
	}
	if 0xFF01 <= r && r <= 0xFF5E {
		return string(r - 0xFF01 + '!')
	}
	return ""
}

var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}
