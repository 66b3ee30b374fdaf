package quote

import "encoding/binary"

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

func (u *unpacker) text() string { return u.bytes(u.number()) }

// bytes gives the next n bytes, or none.
func (u *unpacker) bytes(n int) string {
	if n < 0 || n > len(u.rest) {
		u.bad, u.rest = true, ""
		return ""
	}
	s := u.rest[:n]
	u.rest = u.rest[n:]
	return s
}

// fixed reads a number of eight bytes.
func (u *unpacker) fixed() (n uint64) {
	for i, b := range []byte(u.bytes(8)) {
		n |= uint64(b) << (8 * i)
	}
	return n
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
