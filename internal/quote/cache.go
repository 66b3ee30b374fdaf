package quote

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
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/cachedir"
	"verbatim/internal/stamp"
)

// cacheKey names a page: its kind and the digest of the bytes it is kept in.
type cacheKey struct {
	ext string
	sum [sha256.Size]byte
}

// cached is what is known of one page.
type cached struct {
	digest string             // the page's Digest
	found  map[string]Finding // by quotation; matches and warnings alone
	text   extent             // the page's text
	fresh  bool               // the text lies in the next file
}

// extent is where a text lies in the file of a cache.
type extent struct {
	at   int64
	size int
	crc  uint32
}

// cache keeps the text of pages, and what was found in them, from one check to
// the next: a page with the same bytes need not be parsed again. Everything is
// in one file, which is replaced as a whole and only where something changed,
// so two checks at once do not disturb each other. What cannot be read or
// written, or was written by other code than this, is as good as not there. A
// nil cache keeps nothing.
type cache struct {
	name   string // of the file
	old    *os.File
	has    index               // in old
	moment func() stamp.Moment // before anything was read whose stamp is noted

	mu      sync.Mutex
	use     index    // what the next file will have
	aside   *os.File // the next file, nil until it has something of its own
	out     *bufio.Writer
	size    int64 // of aside, with what is in out
	buffer  packer
	broken  bool // aside could not be written
	changed bool
}

// CacheDir is what Input.Cache is called below a site's folder for caches.
const CacheDir = "quotes"

const cachePrefix = "pages-"

// code is this package: other code may read a page in another way.
//
//go:embed *.go
var code embed.FS

// cacheName names the file of a cache after all that decides what a page says:
// this code, the parser, and Go, which has the tables of Unicode.
func cacheName() string {
	h := sha256.New()
	files, _ := code.ReadDir(".")
	for _, f := range files {
		text, _ := code.ReadFile(f.Name())
		fmt.Fprintf(h, "%s %d\n%s", f.Name(), len(text), text)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.GoVersion)
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "golang.org/x/") {
				fmt.Fprintln(h, m.Path, m.Version, m.Sum)
			}
		}
	}
	return fmt.Sprintf("%s%d-%s", cachePrefix, ContractVersion, hex.EncodeToString(h.Sum(nil)[:8]))
}

// openCache opens the cache in folder dir, or gives nil for "".
func openCache(dir string) *cache {
	if dir == "" {
		return nil
	}
	c := &cache{
		name: filepath.Join(dir, cacheName()), has: newIndex(), use: newIndex(),
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

// lookup gives what is known of a page, or nil.
func (c *cache) lookup(k cacheKey) *cached {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.use.pages[k]; e != nil {
		return e
	}
	return c.has.pages[k]
}

// recall gives what a page says about quotations all of which stand in it, from
// what is known of the page or at least from its text. It is nil where that is
// not enough, and the page has to be read.
func (c *cache) recall(k cacheKey, quotations []string) *looked {
	e := c.lookup(k)
	if e == nil {
		return nil
	}
	if hasAll(e.found, quotations) {
		c.keep(k, e, false)
		return &looked{e.digest, e.found}
	}
	page, ok := c.page(e)
	if !ok {
		return nil
	}
	found := page.findEach(quotations)
	for _, f := range found {
		if f.Verdict == NoMatch {
			return nil // what explains it may stand outside of the text
		}
	}
	c.keep(k, &cached{digest: e.digest, found: found, text: e.text, fresh: e.fresh}, true)
	return &looked{e.digest, found}
}

func hasAll(found map[string]Finding, quotations []string) bool {
	for _, q := range quotations {
		if _, ok := found[q]; !ok {
			return false
		}
	}
	return true
}

// add notes what was found in a page. The text of a page that is new goes to
// the next file at once: it may be large.
func (c *cache) add(k cacheKey, p *Page, found map[string]Finding) {
	if c == nil {
		return
	}
	matches := map[string]Finding{}
	for q, f := range found {
		if f.Verdict != NoMatch {
			matches[q] = f
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.has.pages[k]; old != nil && hasAll(old.found, slices.Collect(maps.Keys(matches))) {
		c.put(k, old)
		return
	}
	c.buffer = encodeText(c.buffer[:0], p)
	c.put(k, &cached{digest: p.Digest, found: matches, text: c.append(c.buffer), fresh: true})
	c.changed = true
}

// keep notes that a page is still in use, and what is known of it.
func (c *cache) keep(k cacheKey, e *cached, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, e)
	c.changed = c.changed || changed
}

// put gives a page its entry in the next file. Where two sources have pages of
// the same bytes, it is about the quotations of both. c.mu is held.
func (c *cache) put(k cacheKey, e *cached) {
	if other := c.use.pages[k]; other != nil && other != e {
		both := *e
		both.found = maps.Clone(other.found)
		maps.Copy(both.found, e.found)
		e = &both
	}
	c.use.pages[k] = e
}

// append writes a text to the next file. c.mu is held.
func (c *cache) append(text []byte) extent {
	if c.aside == nil && !c.broken {
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

// makeCache makes the folder of the cache below the site's folder for caches.
func makeCache(dir string) error {
	if err := cachedir.Make(filepath.Dir(filepath.Clean(dir))); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// begin opens the next file.
func (c *cache) begin() bool {
	dir, name := filepath.Split(c.name)
	if makeCache(dir) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, name+".*.aside")
	if err != nil {
		return false
	}
	c.aside, c.out = f, bufio.NewWriterSize(f, 1<<16)
	return true
}

// page gives the text of a page that is in the cache.
func (c *cache) page(e *cached) (*Page, bool) {
	c.mu.Lock()
	f := c.old
	if e.fresh {
		f = c.aside
		c.broken = c.broken || c.out.Flush() != nil
	}
	c.mu.Unlock()
	text, ok := readText(f, e.text)
	if !ok {
		return nil, false
	}
	return decodeText(text, e.digest)
}

// close puts the next file in place, if anything is new in it.
func (c *cache) close() {
	if c == nil {
		return
	}
	if c.changed && !c.broken {
		c.finish()
	}
	if c.old != nil {
		c.old.Close()
	}
	if c.aside != nil {
		c.aside.Close()
		os.Remove(c.aside.Name()) // not there any more where it is in place
	}
}

func (c *cache) finish() {
	for k, e := range c.use.pages {
		if e.fresh {
			continue
		}
		text, ok := readText(c.old, e.text)
		if !ok {
			delete(c.use.pages, k)
			continue
		}
		e.text = c.append(text)
	}
	if c.aside == nil && !c.begin() {
		return
	}
	if c.broken || !writeIndex(c.out, c.size, c.use) || c.out.Flush() != nil || c.aside.Close() != nil {
		return
	}
	if os.Rename(c.aside.Name(), c.name) == nil {
		c.sweep()
	}
}

// sweep removes what other code and killed checks left. A check that is at work
// there finds its file gone, and loses what it would have kept.
func (c *cache) sweep() {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(c.name), cachePrefix+"*"))
	for _, f := range files {
		if f != c.name {
			os.Remove(f)
		}
	}
}

func readText(f *os.File, e extent) ([]byte, bool) {
	if f == nil || e.size <= 0 || e.size > 4*MaxPage {
		return nil, false
	}
	text := make([]byte, e.size)
	if _, err := io.ReadFull(io.NewSectionReader(f, e.at, int64(e.size)), text); err != nil {
		return nil, false
	}
	return text, checksum(text) == e.crc
}
