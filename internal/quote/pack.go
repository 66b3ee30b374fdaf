package quote

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

// A cache's file is a run of texts, then the index, then the place and the
// checksum of the index: footerSize bytes.
const footerSize = 8 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var errCache = errors.New("not the file of a cache")

// packer writes numbers and strings one after another.
type packer []byte

func (p *packer) number(n int) { *p = binary.AppendUvarint(*p, uint64(n)) }

func (p *packer) text(s string) {
	p.number(len(s))
	*p = append(*p, s...)
}

// unpacker reads what a packer wrote. After the first thing that cannot be
// right it gives nothing more, and bad is true.
type unpacker struct {
	rest string
	bad  bool
}

func (u *unpacker) number() int {
	var n uint64
	for shift := 0; shift < 63 && len(u.rest) > 0; shift += 7 {
		b := u.rest[0]
		u.rest = u.rest[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
	u.bad, u.rest = true, ""
	return 0
}

func (u *unpacker) text() string {
	n := u.number()
	if n < 0 || n > len(u.rest) {
		u.bad, u.rest = true, ""
		return ""
	}
	s := u.rest[:n]
	u.rest = u.rest[n:]
	return s
}

// count gives a number of things that are to follow, of a byte each at least.
func (u *unpacker) count() int {
	n := u.number()
	if n < 0 || n > len(u.rest) {
		u.bad, u.rest = true, ""
		return 0
	}
	return n
}

// writeIndex writes what is known of each page behind the texts, which take
// size bytes.
func writeIndex(w io.Writer, size int64, pages map[cacheKey]*cached) bool {
	sum := crc32.New(castagnoli)
	both := io.MultiWriter(w, sum)
	var p packer
	p.number(len(pages))
	for k, e := range pages {
		p.page(k, e)
		if _, err := both.Write(p); err != nil {
			return false
		}
		p = p[:0]
	}
	if _, err := both.Write(p); err != nil { // where there is no page
		return false
	}
	p = binary.LittleEndian.AppendUint64(p[:0], uint64(size))
	p = binary.LittleEndian.AppendUint32(p, sum.Sum32())
	_, err := w.Write(p)
	return err == nil
}

func (p *packer) page(k cacheKey, e *cached) {
	p.text(k.ext)
	p.text(string(k.sum[:]))
	p.text(e.digest)
	p.number(int(e.text.at))
	p.number(e.text.size)
	p.number(int(e.text.crc))
	p.number(len(e.found))
	for q, f := range e.found {
		p.text(q)
		p.finding(f)
	}
}

func (p *packer) finding(f Finding) {
	warning := 0
	if f.Verdict == Warning {
		warning = 1
	}
	p.number(warning)
	p.number(slices.Index(folds, f.Fold))
	p.number(f.Occurrences)
	p.number(f.FirstWord)
	p.text(f.Passage)
	p.text(f.Before)
	p.text(f.After)
	p.number(len(f.Notes))
	for _, note := range f.Notes {
		p.text(note)
	}
}

func (u *unpacker) finding() Finding {
	f := Finding{Verdict: Match}
	if u.number() == 1 {
		f.Verdict = Warning
	}
	if i := u.number(); i >= 0 && i < len(folds) {
		f.Fold = folds[i]
	} else {
		u.bad = true
	}
	f.Occurrences, f.FirstWord = u.number(), u.number()
	f.Passage, f.Before, f.After = u.text(), u.text(), u.text()
	for range u.count() {
		f.Notes = append(f.Notes, u.text())
	}
	return f
}

// readIndex reads what writeIndex wrote.
func readIndex(f *os.File) (map[cacheKey]*cached, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var footer [footerSize]byte
	if _, err := f.ReadAt(footer[:], info.Size()-footerSize); err != nil {
		return nil, err
	}
	at := int64(binary.LittleEndian.Uint64(footer[:]))
	if at < 0 || at > info.Size()-footerSize {
		return nil, errCache
	}
	index := make([]byte, info.Size()-footerSize-at)
	if _, err := f.ReadAt(index, at); err != nil {
		return nil, err
	}
	if checksum(index) != binary.LittleEndian.Uint32(footer[8:]) {
		return nil, errCache
	}
	return decodeIndex(string(index))
}

func decodeIndex(index string) (map[cacheKey]*cached, error) {
	u := unpacker{rest: index}
	pages := map[cacheKey]*cached{}
	for range u.count() {
		k := cacheKey{ext: u.text()}
		if sum := u.text(); len(sum) == sha256.Size {
			copy(k.sum[:], sum)
		} else {
			u.bad = true
		}
		e := &cached{digest: u.text()}
		e.text = extent{at: int64(u.number()), size: u.number(), crc: uint32(u.number())}
		n := u.count()
		e.found = make(map[string]Finding, n)
		for range n {
			q := u.text()
			e.found[q] = u.finding()
		}
		pages[k] = e
	}
	if u.bad {
		return nil, errCache
	}
	return pages, nil
}

// encodeText appends the text of a page.
func encodeText(out packer, p *Page) packer {
	out.runs(p.runs)
	out.number(len(p.joined))
	for _, runs := range p.joined {
		out.runs(runs)
	}
	return out
}

// runs writes runs, those that are alike and have no gap between them as one.
func (p *packer) runs(runs []run) {
	p.number(countAlike(runs))
	for len(runs) > 0 {
		n, size := alike(runs)
		p.number(int(runs[0].gap))
		p.number(int(runs[0].flags))
		p.number(size)
		for _, r := range runs[:n] {
			*p = append(*p, r.text...)
		}
		runs = runs[n:]
	}
}

// alike counts the runs that can be one with the first, and their bytes.
func alike(runs []run) (n, size int) {
	for n < len(runs) && (n == 0 || runs[n].gap == noGap && runs[n].flags == runs[0].flags) {
		size += len(runs[n].text)
		n++
	}
	return n, size
}

func countAlike(runs []run) (groups int) {
	for len(runs) > 0 {
		n, _ := alike(runs)
		runs = runs[n:]
		groups++
	}
	return groups
}

func (u *unpacker) runs() []run {
	runs := make([]run, u.count())
	for i := range runs {
		runs[i] = run{gap(u.number()), flags(u.number()), u.text()}
	}
	return runs
}

// decodeText gives the page that encodeText wrote, without its tree.
func decodeText(text []byte, digest string) (*Page, bool) {
	u := unpacker{rest: string(text)}
	p := &Page{Digest: digest, reads: map[flags]*reading{}, runs: u.runs()}
	for range u.count() {
		p.joined = append(p.joined, u.runs())
	}
	p.findVariants()
	return p, !u.bad
}
