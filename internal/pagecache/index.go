package pagecache

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"

	"verbatim/internal/stamp"
)

// The file of a cache holds the texts, the index, and a footer of footerSize bytes: the
// offset and the checksum of the index.
const footerSize = 8 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var errCache = errors.New("not the file of a cache")

// index holds what a cache knows.
type index struct {
	pages   map[Key]*Page
	files   map[stamp.Stamp]stamp.Sum // digests of the stored bytes of pages
	folders map[stamp.Stamp][]Entry
}

func newIndex() index {
	return index{map[Key]*Page{}, map[stamp.Stamp]stamp.Sum{}, map[stamp.Stamp][]Entry{}}
}

// writeIndex writes an index behind the texts, which take size bytes.
func writeIndex(w io.Writer, size int64, known index) bool {
	var e Encoder
	e.Number(len(known.pages))
	for k, p := range known.pages {
		e.page(k, p)
	}
	e.Number(len(known.files))
	for s, sum := range known.files {
		e.stamp(s)
		e = append(e, sum[:]...)
	}
	e.Number(len(known.folders))
	for s, files := range known.folders {
		e.stamp(s)
		e.entries(files)
	}
	sum := checksum(e)
	e = binary.LittleEndian.AppendUint64(e, uint64(size))
	e = binary.LittleEndian.AppendUint32(e, sum)
	_, err := w.Write(e)
	return err == nil
}

func (e *Encoder) page(k Key, p *Page) {
	e.Text(k.Ext)
	*e = append(*e, k.Sum[:]...)
	e.Text(p.Digest)
	e.Number(int(p.text.at))
	e.Number(p.text.size)
	e.Number(int(p.text.crc))
	e.Number(len(p.Found))
	for quotation, finding := range p.Found {
		e.Text(quotation)
		e.Text(finding)
	}
}

func (d *Decoder) page() *Page {
	p := &Page{Digest: d.Text()}
	p.text = extent{at: int64(d.Number()), size: d.Number(), crc: uint32(d.Number())}
	n := d.Count()
	p.Found = make(map[string]string, n)
	for range n {
		quotation := d.Text()
		p.Found[quotation] = d.Text()
	}
	return p
}

func (d *Decoder) sum() (sum stamp.Sum) {
	copy(sum[:], d.bytes(len(sum)))
	return sum
}

func (e *Encoder) stamp(s stamp.Stamp) {
	for _, n := range []uint64{s.Device, s.Inode, uint64(s.Size), uint64(s.Modified), uint64(s.Changed)} {
		*e = binary.LittleEndian.AppendUint64(*e, n)
	}
}

func (d *Decoder) stamp() stamp.Stamp {
	return stamp.Stamp{
		Device: d.fixed(), Inode: d.fixed(), Size: int64(d.fixed()),
		Modified: int64(d.fixed()), Changed: int64(d.fixed()),
	}
}

func (e *Encoder) entries(files []Entry) {
	e.Number(len(files))
	for _, f := range files {
		e.Text(f.Name)
		e.Number(int(f.Type))
	}
}

func (d *Decoder) entries() []Entry {
	files := make([]Entry, d.Count())
	for i := range files {
		files[i] = Entry{d.Text(), fs.FileMode(d.Number())}
	}
	return files
}

// readIndex reads the index of a cache's file.
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
	d := NewDecoder(data)
	known := newIndex()
	for range d.Count() {
		k := Key{d.Text(), d.sum()}
		known.pages[k] = d.page()
	}
	for range d.Count() {
		s := d.stamp()
		known.files[s] = d.sum()
	}
	for range d.Count() {
		s := d.stamp()
		known.folders[s] = d.entries()
	}
	if d.Bad {
		return index{}, errCache
	}
	return known, nil
}
