package quote

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"verbatim/internal/pagecache"
)

// CacheDir is the name of the folder for Input.Cache below a site's cache folder.
const CacheDir = "quotes"

// code is this package, because other code may read a page in another way.
//
//go:embed *.go
var code embed.FS

// openCache opens the cache in folder dir, or returns nil for "". Its version covers all
// that decides what a page says: this code, the parser, and Go, which has the tables of
// Unicode.
func openCache(dir string) *pagecache.Cache {
	if dir == "" {
		return nil
	}
	h := sha256.New()
	fmt.Fprintln(h, ContractVersion)
	pagecache.HashCode(h, code)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.GoVersion)
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "golang.org/x/") {
				fmt.Fprintln(h, m.Path, m.Version, m.Sum)
			}
		}
	}
	return pagecache.Open(dir, hex.EncodeToString(h.Sum(nil)), 4*MaxPage)
}

// load returns what the cached page with this key says about quotations that all occur
// in it, from its findings or at least from its text. It returns nil if that is not
// enough and the page has to be read.
func load(c *pagecache.Cache, k pagecache.Key, quotations []string) *lookup {
	cached := c.Lookup(k)
	if cached == nil {
		return nil
	}
	if hasAll(cached.Found, quotations) {
		if found, ok := decodeFindings(cached.Found, quotations); ok {
			c.Keep(k, cached)
			return &lookup{cached.Digest, found}
		}
	}
	page, ok := loadPage(c, cached)
	if !ok {
		return nil
	}
	found := page.findEach(quotations)
	for _, f := range found {
		if f.Verdict == NoMatch {
			return nil // the explanation of a missing quotation may need more than the text
		}
	}
	c.Update(k, cached, encodeFindings(found))
	return &lookup{cached.Digest, found}
}

// loadPage returns the text of a cached page, and false if it cannot be read.
func loadPage(c *pagecache.Cache, cached *pagecache.Page) (*Page, bool) {
	text, ok := c.Text(cached)
	if !ok {
		return nil, false
	}
	return decodeText(text, cached.Digest)
}

// store caches a page and the matches and warnings of what was found in it.
func store(c *pagecache.Cache, k pagecache.Key, p *Page, found map[string]Finding) {
	if c == nil {
		return
	}
	matches := encodeFindings(found)
	if old := c.Lookup(k); old != nil && hasAll(old.Found, slices.Collect(maps.Keys(matches))) {
		c.Keep(k, old)
		return
	}
	c.Add(k, p.Digest, encodeText(p), matches)
}

func hasAll(found map[string]string, quotations []string) bool {
	for _, q := range quotations {
		if _, ok := found[q]; !ok {
			return false
		}
	}
	return true
}

// encodeFindings encodes every finding that is no NoMatch.
func encodeFindings(found map[string]Finding) map[string]string {
	matches := make(map[string]string, len(found))
	for q, f := range found {
		if f.Verdict != NoMatch {
			matches[q] = encodeFinding(q, f)
		}
	}
	return matches
}

// decodeFindings returns the findings of quotations, and false if one is damaged.
func decodeFindings(encoded map[string]string, quotations []string) (map[string]Finding, bool) {
	found := make(map[string]Finding, len(quotations))
	for _, q := range quotations {
		in := pagecache.NewDecoder(encoded[q])
		found[q] = decodeFinding(in, q)
		if in.Bad {
			return nil, false
		}
	}
	return found, true
}

// encodeFinding encodes what was found of quotation q, whose words are mostly those of
// the page.
func encodeFinding(q string, f Finding) string {
	var out pagecache.Encoder
	out.Number(len(f.Reservations))
	for _, r := range f.Reservations {
		out.Text(string(r))
	}
	out.Number(slices.Index(folds, f.Fold))
	out.Number(f.Occurrences)
	out.Number(f.FirstWord)
	if f.Passage == q {
		out.Number(1)
	} else {
		out.Number(0)
		out.Text(f.Passage)
	}
	out.Text(f.Before)
	out.Text(f.After)
	out.Number(len(f.Notes))
	for _, note := range f.Notes {
		out.Text(note)
	}
	return string(out)
}

func decodeFinding(in *pagecache.Decoder, q string) Finding {
	f := Finding{Verdict: Match}
	for range in.Count() {
		f.Verdict = Warning
		f.Reservations = append(f.Reservations, Reservation(in.Text()))
	}
	if i := in.Number(); i >= 0 && i < len(folds) {
		f.Fold = folds[i]
	} else {
		in.Bad = true
	}
	f.Occurrences, f.FirstWord = in.Number(), in.Number()
	if f.Passage = q; in.Number() == 0 {
		f.Passage = in.Text()
	}
	f.Before, f.After = in.Text(), in.Text()
	for range in.Count() {
		f.Notes = append(f.Notes, in.Text())
	}
	return f
}

// encodeText returns the text of a page, encoded.
func encodeText(p *Page) []byte {
	var out pagecache.Encoder
	encodeRuns(&out, p.runs)
	out.Number(len(p.joined))
	for _, runs := range p.joined {
		encodeRuns(&out, runs)
	}
	return out
}

// encodeRuns encodes runs, and as one those that are alike and have no gap between them.
func encodeRuns(out *pagecache.Encoder, runs []run) {
	out.Number(countAlike(runs))
	for len(runs) > 0 {
		n, size := alike(runs)
		out.Number(int(runs[0].gap))
		out.Number(int(runs[0].flags))
		out.Number(size)
		for _, r := range runs[:n] {
			*out = append(*out, r.text...)
		}
		runs = runs[n:]
	}
}

// alike returns how many runs can be joined with the first, and the size of their text.
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

func decodeRuns(in *pagecache.Decoder) []run {
	runs := make([]run, in.Count())
	for i := range runs {
		runs[i] = run{gap(in.Number()), flags(in.Number()), in.Text()}
	}
	return runs
}

// decodeText returns the page that encodeText encoded, without its tree, and false if
// the data are damaged.
func decodeText(text []byte, digest string) (*Page, bool) {
	in := pagecache.NewDecoder(string(text))
	p := &Page{Digest: digest, reads: map[flags]*reading{}, runs: decodeRuns(in)}
	for range in.Count() {
		p.joined = append(p.joined, decodeRuns(in))
	}
	p.findVariants()
	return p, !in.Bad
}
