package stamp

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Sum is the SHA-256 of a file.
type Sum = [sha256.Size]byte

// Table knows the digests of files by their stamps: names do not matter. Open
// makes one. Several goroutines may use it.
type Table struct {
	mu   sync.Mutex
	old  map[Stamp]Sum // as it was read
	used map[Stamp]Sum // what was asked for and known, or noted: what is saved
}

// entrySize is how many bytes an entry of a saved table has: five numbers, and
// the sum.
const entrySize = 5*8 + sha256.Size

// Open reads a table that was saved. What is missing or damaged is an empty
// table.
func Open(file string) *Table {
	t := &Table{used: map[Stamp]Sum{}}
	data, err := os.ReadFile(file)
	if err != nil || len(data) < sha256.Size {
		return t
	}
	sum, data := data[:sha256.Size], data[sha256.Size:]
	if now := sha256.Sum256(data); !bytes.Equal(sum, now[:]) || len(data)%entrySize != 0 {
		return t
	}
	t.old = make(map[Stamp]Sum, len(data)/entrySize)
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	for ; len(data) > 0; data = data[entrySize:] {
		s := Stamp{number(0), number(1), int64(number(2)), int64(number(3)), int64(number(4))}
		t.old[s] = Sum(data[5*8 : entrySize])
	}
	return t
}

// Sum gives the digest of the file with this stamp, if it is known.
func (t *Table) Sum(s Stamp) (Sum, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum, known := t.old[s]
	if known {
		t.used[s] = sum
	}
	return sum, known
}

// Note keeps the digest of a file whose stamp is settled.
func (t *Table) Note(s Stamp, sum Sum) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used[s] = sum
}

// Save writes what was known of the files that were asked for and what was
// noted, whole or not at all, if that is not what the file holds.
func (t *Table) Save(file string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.same() {
		return nil
	}
	data := make([]byte, sha256.Size, sha256.Size+entrySize*len(t.used))
	for s, sum := range t.used {
		for _, n := range []uint64{s.Device, s.Inode, uint64(s.Size), uint64(s.Modified), uint64(s.Changed)} {
			data = binary.LittleEndian.AppendUint64(data, n)
		}
		data = append(data, sum[:]...)
	}
	sum := sha256.Sum256(data[sha256.Size:])
	copy(data, sum[:])
	temporary, err := os.CreateTemp(filepath.Dir(file), "new-*")
	if err != nil {
		return fmt.Errorf("save the stamps of files: %w", err)
	}
	_, err = temporary.Write(data)
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		os.Remove(temporary.Name())
		return fmt.Errorf("save the stamps of files: %w", err)
	}
	return nil
}

// same tells whether the table is what it was when it was read.
func (t *Table) same() bool {
	if len(t.used) != len(t.old) {
		return false
	}
	for s, sum := range t.used {
		if before, known := t.old[s]; !known || before != sum {
			return false
		}
	}
	return true
}
