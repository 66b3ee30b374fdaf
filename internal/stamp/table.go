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

// Table maps stamps to digests of files, whatever their names. Open returns one. It is
// safe for concurrent use.
type Table struct {
	mu   sync.Mutex
	old  map[Stamp]Sum // the entries that Open read
	used map[Stamp]Sum // the entries that Save writes: those that Sum found and those of Note
}

// entrySize is the size in bytes of an entry in a saved table: five numbers and the
// digest.
const entrySize = 5*8 + sha256.Size

// Open returns the table that Save wrote to file. When the file is missing or damaged,
// it returns an empty table.
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

// Sum returns the digest of the file with stamp s, if the table has it, and keeps the
// entry for Save.
func (t *Table) Sum(s Stamp) (Sum, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum, known := t.old[s]
	if known {
		t.used[s] = sum
	}
	return sum, known
}

// Note adds the digest of a file. Its stamp must be settled.
func (t *Table) Note(s Stamp, sum Sum) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used[s] = sum
}

// Save writes the entries that Sum found and those that Note added to file, and drops
// the others. It replaces the file atomically, and does nothing when no entry has
// changed since Open.
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

// same reports whether Save would write the entries that Open read.
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
