package pagecache

import "encoding/binary"

// Encoder appends numbers and strings to bytes, for a Decoder to read in that order.
type Encoder []byte

// Number appends a number that is not negative.
func (e *Encoder) Number(n int) { *e = binary.AppendUvarint(*e, uint64(n)) }

// Text appends a string.
func (e *Encoder) Text(s string) {
	e.Number(len(s))
	*e = append(*e, s...)
}

// Decoder reads what an Encoder wrote. After the first invalid value all results are
// zero, and Bad is true. The zero Decoder is at the end of its input.
type Decoder struct {
	Bad  bool
	rest string
}

// NewDecoder returns a Decoder of data.
func NewDecoder(data string) *Decoder { return &Decoder{rest: data} }

// Number returns the next number.
func (d *Decoder) Number() int {
	var n uint64
	for shift := 0; shift < 63 && len(d.rest) > 0; shift += 7 {
		b := d.rest[0]
		d.rest = d.rest[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
	d.fail()
	return 0
}

// Text returns the next string.
func (d *Decoder) Text() string { return d.bytes(d.Number()) }

// Count returns the number of values that follow, of which each takes a byte or more.
func (d *Decoder) Count() int {
	n := d.Number()
	if n < 0 || n > len(d.rest) {
		d.fail()
		return 0
	}
	return n
}

// bytes returns the next n bytes, or "" if there are fewer.
func (d *Decoder) bytes(n int) string {
	if n < 0 || n > len(d.rest) {
		d.fail()
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// fixed returns the next number of eight bytes.
func (d *Decoder) fixed() (n uint64) {
	for i, b := range []byte(d.bytes(8)) {
		n |= uint64(b) << (8 * i)
	}
	return n
}

func (d *Decoder) fail() { d.Bad, d.rest = true, "" }
