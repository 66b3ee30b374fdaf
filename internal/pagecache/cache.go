// Package pagecache stores the text of saved pages and what was found in them, so that
// the next check of the quotations need not parse pages that did not change.
//
// A Cache is one file. A page is known by the digest of its bytes; the stamps of files
// and folders (see package stamp) map to digests and names, so that unchanged ones need
// not be opened. Texts and findings are bytes of the caller, who encodes them with
// Encoder.
package pagecache

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"verbatim/internal/cachedir"
	"verbatim/internal/stamp"
)

// Key identifies a page: its kind and the digest of its bytes as they are stored.
type Key struct {
	Ext string
	Sum [sha256.Size]byte
}

// Page holds what a cache knows of one page. It must not be changed.
type Page struct {
	Digest string            // of the decoded page
	Found  map[string]string // by quotation: an encoded finding
	text   extent
	fresh  bool // the text is in the next file
}

// extent locates a text in the file of a cache.
type extent struct {
	at   int64
	size int
	crc  uint32
}

// Cache stores pages from one check to the next. Its file is replaced as a whole, and
// only if something changed, so that two checks at once do not disturb each other. An
// unreadable file, a damaged one, and one that other code wrote count as empty. The
// methods of a nil Cache store nothing and find nothing.
type Cache struct {
	name    string // of the file
	maxText int
	old     *os.File
	has     index               // of old
	moment  func() stamp.Moment // before anything was read whose stamp is noted

	mu      sync.Mutex
	use     index    // of the next file
	next    *os.File // the next file, nil until it has a text of its own
	out     *bufio.Writer
	size    int64 // of next, including what is in out
	broken  bool  // next could not be written
	changed bool
}

// prefix begins the name of each file of a cache.
const prefix = "pages-"

// code is this package, because other code may use another format.
//
//go:embed *.go
var code embed.FS

// Open opens the cache in the folder dir for code of this version, which decides what
// texts and findings a page has. maxText is the largest size of a text in bytes. Open
// returns nil if dir is "".
func Open(dir, version string, maxText int) *Cache {
	if dir == "" {
		return nil
	}
	h := sha256.New()
	io.WriteString(h, version)
	HashCode(h, code)
	c := &Cache{
		name: filepath.Join(dir, prefix+hex.EncodeToString(h.Sum(nil)[:8])), maxText: maxText, has: newIndex(), use: newIndex(),
		moment: sync.OnceValue(func() stamp.Moment { return momentIn(dir) }),
	}
	f, err := os.Open(c.name)
	if err != nil {
		return c
	}
	if has, err := readIndex(f); err == nil {
		c.old, c.has = f, has
		return c
	}
	f.Close()
	return c
}

// HashCode writes the files of a package to h, for the version of a cache.
func HashCode(h io.Writer, code embed.FS) {
	files, _ := code.ReadDir(".")
	for _, f := range files {
		text, _ := code.ReadFile(f.Name())
		fmt.Fprintf(h, "%s %d\n%s", f.Name(), len(text), text)
	}
}

// Lookup returns what is known of a page, or nil.
func (c *Cache) Lookup(k Key) *Page {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.use.pages[k]; p != nil {
		return p
	}
	return c.has.pages[k]
}

// Keep stores a page that Lookup returned for the next check, too.
func (c *Cache) Keep(k Key, p *Page) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, p)
}

// Update stores a page that Lookup returned, with other findings.
func (c *Cache) Update(k Key, p *Page, found map[string]string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, &Page{p.Digest, found, p.text, p.fresh})
	c.changed = true
}

// Add stores a new page with its text and its findings. It writes the text to the next
// file at once, because a text may be large.
func (c *Cache) Add(k Key, digest string, text []byte, found map[string]string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, &Page{digest, found, c.append(text), true})
	c.changed = true
}

// put sets the entry of a page in the next file. If two sources have pages of the same
// bytes, the entry has the findings of both. c.mu is held.
func (c *Cache) put(k Key, p *Page) {
	if other := c.use.pages[k]; other != nil && other != p {
		both := *p
		both.Found = maps.Clone(other.Found)
		maps.Copy(both.Found, p.Found)
		p = &both
	}
	c.use.pages[k] = p
}

// append writes a text to the next file. c.mu is held.
func (c *Cache) append(text []byte) extent {
	if c.next == nil && !c.broken {
		c.broken = !c.begin()
	}
	if c.broken {
		return extent{}
	}
	e := extent{c.size, len(text), checksum(text)}
	_, err := c.out.Write(text)
	c.size += int64(len(text))
	c.broken = err != nil
	return e
}

// makeDir creates the folder of the cache below the site's cache folder.
func makeDir(dir string) error {
	if err := cachedir.Make(filepath.Dir(filepath.Clean(dir))); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// begin creates the next file.
func (c *Cache) begin() bool {
	dir, name := filepath.Split(c.name)
	if makeDir(dir) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, name+".*.next")
	if err != nil {
		return false
	}
	c.next, c.out = f, bufio.NewWriterSize(f, 1<<16)
	return true
}

// Text returns the text of a page of this cache, and false if it cannot be read.
func (c *Cache) Text(p *Page) ([]byte, bool) {
	c.mu.Lock()
	f := c.old
	if p.fresh {
		f = c.next
		c.broken = c.broken || c.out.Flush() != nil
	}
	c.mu.Unlock()
	return c.read(f, p.text)
}

// Close replaces the file of the cache if anything changed.
func (c *Cache) Close() {
	if c == nil {
		return
	}
	if c.changed && !c.broken {
		c.finish()
	}
	if c.old != nil {
		c.old.Close()
	}
	if c.next != nil {
		c.next.Close()
		os.Remove(c.next.Name()) // fails if it was renamed
	}
}

func (c *Cache) finish() {
	for k, p := range c.use.pages {
		if p.fresh {
			continue
		}
		text, ok := c.read(c.old, p.text)
		if !ok {
			delete(c.use.pages, k)
			continue
		}
		p.text = c.append(text)
	}
	if c.next == nil && !c.begin() {
		return
	}
	if c.broken || !writeIndex(c.out, c.size, c.use) || c.out.Flush() != nil || c.next.Close() != nil {
		return
	}
	if os.Rename(c.next.Name(), c.name) == nil {
		c.sweep()
	}
}

// sweep deletes what other code and killed checks left. A check that runs at the same
// time then loses what it would have stored.
func (c *Cache) sweep() {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(c.name), prefix+"*"))
	for _, f := range files {
		if f != c.name {
			os.Remove(f)
		}
	}
}

func (c *Cache) read(f *os.File, e extent) ([]byte, bool) {
	if f == nil || e.size <= 0 || e.size > c.maxText {
		return nil, false
	}
	text := make([]byte, e.size)
	if _, err := io.ReadFull(io.NewSectionReader(f, e.at, int64(e.size)), text); err != nil {
		return nil, false
	}
	return text, checksum(text) == e.crc
}
