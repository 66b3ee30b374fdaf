package quote

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"verbatim/internal/stamp"
)

// A cache's file is a run of texts, then the index, then the place and the
// checksum of the index: footerSize bytes.
const footerSize = 8 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var errCache = errors.New("not the file of a cache")

// index is what a cache knows.
type index struct {
	pages   map[cacheKey]*cached
	files   map[stamp.Stamp]stamp.Sum // of pages as they are kept
	folders map[stamp.Stamp][]entry
}

func newIndex() index {
	return index{map[cacheKey]*cached{}, map[stamp.Stamp]stamp.Sum{}, map[stamp.Stamp][]entry{}}
}

// writeIndex writes what is known behind the texts, which take size bytes.
func writeIndex(w io.Writer, size int64, known index) bool {
	var p packer
	p.number(len(known.pages))
	for k, e := range known.pages {
		p.page(k, e)
	}
	p.number(len(known.files))
	for s, sum := range known.files {
		p.stamp(s)
		p = append(p, sum[:]...)
	}
	p.number(len(known.folders))
	for s, files := range known.folders {
		p.stamp(s)
		p.entries(files)
	}
	sum := checksum(p)
	p = binary.LittleEndian.AppendUint64(p, uint64(size))
	p = binary.LittleEndian.AppendUint32(p, sum)
	_, err := w.Write(p)
	return err == nil
}

func (p *packer) page(k cacheKey, e *cached) {
	p.text(k.ext)
	*p = append(*p, k.sum[:]...)
	p.text(e.digest)
	p.number(int(e.text.at))
	p.number(e.text.size)
	p.number(int(e.text.crc))
	p.number(len(e.found))
	for q, f := range e.found {
		p.text(q)
		p.finding(q, f)
	}
}

func (u *unpacker) page() *cached {
	e := &cached{digest: u.text()}
	e.text = extent{at: int64(u.number()), size: u.number(), crc: uint32(u.number())}
	n := u.count()
	e.found = make(map[string]Finding, n)
	for range n {
		q := u.text()
		e.found[q] = u.finding(q)
	}
	return e
}

// finding writes what was found of quotation q, whose own words are seldom others
// than the page's.
func (p *packer) finding(q string, f Finding) {
	p.number(len(f.Reservations))
	for _, r := range f.Reservations {
		p.text(string(r))
	}
	p.number(slices.Index(folds, f.Fold))
	p.number(f.Occurrences)
	p.number(f.FirstWord)
	if f.Passage == q {
		p.number(1)
	} else {
		p.number(0)
		p.text(f.Passage)
	}
	p.text(f.Before)
	p.text(f.After)
	p.number(len(f.Notes))
	for _, note := range f.Notes {
		p.text(note)
	}
}

func (u *unpacker) finding(q string) Finding {
	f := Finding{Verdict: Match}
	for range u.count() {
		f.Verdict = Warning
		f.Reservations = append(f.Reservations, Reservation(u.text()))
	}
	if i := u.number(); i >= 0 && i < len(folds) {
		f.Fold = folds[i]
	} else {
		u.bad = true
	}
	f.Occurrences, f.FirstWord = u.number(), u.number()
	if f.Passage = q; u.number() == 0 {
		f.Passage = u.text()
	}
	f.Before, f.After = u.text(), u.text()
	for range u.count() {
		f.Notes = append(f.Notes, u.text())
	}
	return f
}

func (u *unpacker) sum() (sum stamp.Sum) {
	copy(sum[:], u.bytes(len(sum)))
	return sum
}

func (p *packer) stamp(s stamp.Stamp) {
	for _, n := range []uint64{s.Device, s.Inode, uint64(s.Size), uint64(s.Modified), uint64(s.Changed)} {
		*p = binary.LittleEndian.AppendUint64(*p, n)
	}
}

func (u *unpacker) stamp() stamp.Stamp {
	return stamp.Stamp{
		Device: u.fixed(), Inode: u.fixed(), Size: int64(u.fixed()),
		Modified: int64(u.fixed()), Changed: int64(u.fixed()),
	}
}

func (p *packer) entries(files []entry) {
	p.number(len(files))
	for _, f := range files {
		p.text(f.name)
		p.number(int(f.kind))
	}
}

func (u *unpacker) entries() []entry {
	files := make([]entry, u.count())
	for i := range files {
		files[i] = entry{u.text(), fs.FileMode(u.number())}
	}
	return files
}

// readIndex reads what writeIndex wrote.
func readIndex(f *os.File) (index, error) {
	info, err := f.Stat()
	if err != nil {
		return index{}, err
	}
	var footer [footerSize]byte
	if _, err := f.ReadAt(footer[:], info.Size()-footerSize); err != nil {
		return index{}, err
	}
	at := int64(binary.LittleEndian.Uint64(footer[:]))
	if at < 0 || at > info.Size()-footerSize {
		return index{}, errCache
	}
	var data strings.Builder
	size := info.Size() - footerSize - at
	data.Grow(int(size))
	sum := crc32.New(castagnoli)
	if _, err := io.CopyN(io.MultiWriter(&data, sum), io.NewSectionReader(f, at, size), size); err != nil {
		return index{}, err
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(footer[8:]) {
		return index{}, errCache
	}
	return decodeIndex(data.String())
}

func decodeIndex(data string) (index, error) {
	u := unpacker{rest: data}
	known := newIndex()
	for range u.count() {
		k := cacheKey{u.text(), u.sum()}
		known.pages[k] = u.page()
	}
	for range u.count() {
		s := u.stamp()
		known.files[s] = u.sum()
	}
	for range u.count() {
		s := u.stamp()
		known.folders[s] = u.entries()
	}
	if u.bad {
		return index{}, errCache
	}
	return known, nil
}
