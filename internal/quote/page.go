package quote

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// Stripper renders Markdown to HTML. The caller provides it, because only package
// markdown imports the Markdown library.
type Stripper func(md []byte) (html []byte)

// Page is the text of one saved page, ready to be searched. It is for one
// goroutine at a time.
type Page struct {
	Digest     string // SHA-256 of the page's bytes after gzip, in hex
	Provenance Provenance

	runs    []run
	joined  [][]run // .txt with hyphens at line ends: the same, joined without and with them
	tree    *html.Node
	reads   map[flags]*reading
	variant []flags // which readings differ: what each leaves out

	explained int // quotations that it lacks, as far as they were explained
}

// pageKinds holds the readers of pages by extension.
var pageKinds = []struct {
	ext  string
	read func(p *Page, raw []byte, strip Stripper) error
}{
	{".html", readHTML},
	{".htm", readHTML},
	{".mhtml", readMHTML},
	{".md", readMarkdown},
	{".txt", readPlain},
	{".go", readGo},
}

// ReadPage extracts the text of the page called name from r, by rule (a) of
// the contract. The extension determines the kind; unknown ones are read as
// plain text. An error is about the page, in words that go on after its name
// ("is empty"); reading fails only within MaxPage bytes.
func ReadPage(name string, r io.Reader, strip Stripper) (*Page, error) {
	stored, err := readWithin(r)
	if err != nil {
		return nil, err
	}
	return readPage(name, stored, sha256.Sum256(stored), strip)
}

// kindOf returns the extension that determines the kind of a page.
func kindOf(name string) string { return path.Ext(strings.TrimSuffix(name, ".gz")) }

// readPage is ReadPage for the bytes that a page is kept in, and their digest.
func readPage(name string, stored []byte, sum [sha256.Size]byte, strip Stripper) (*Page, error) {
	raw := stored
	if isGzip(stored) {
		var err error
		if raw, err = unpack(stored); err != nil {
			return nil, err
		}
		sum = sha256.Sum256(raw)
	}
	if err := refuse(raw); err != nil {
		return nil, err
	}
	p := &Page{Digest: hex.EncodeToString(sum[:]), reads: map[flags]*reading{}}
	read := readPlain
	for _, kind := range pageKinds {
		if kindOf(name) == kind.ext {
			read = kind.read
		}
	}
	if err := read(p, raw, strip); err != nil {
		return nil, err
	}
	p.findVariants()
	return p, nil
}

// findVariants lists the readings that rules (b) and (c) try, and then those
// of rule (e).
func (p *Page) findVariants() {
	var all flags
	for _, r := range p.runs {
		if r.text != "" {
			all |= r.flags
		}
	}
	p.variant = []flags{hiddenText}
	if all&footnote != 0 {
		p.variant = append(p.variant, hiddenText|footnote)
	}
	if all&hiddenText != 0 {
		p.variant = append(p.variant, 0)
	}
	if all&hiddenText != 0 && all&footnote != 0 {
		p.variant = append(p.variant, footnote)
	}
}

// reading returns the page without what has a flag of omit.
func (p *Page) reading(omit flags) *reading {
	if p.reads[omit] == nil {
		p.reads[omit] = read(p.runs, omit)
	}
	return p.reads[omit]
}

// Text is what a reader sees of the page: words one space apart.
func (p *Page) Text() string { return p.reading(hiddenText).text }

// Words counts the words of Text.
func (p *Page) Words() int { return p.reading(hiddenText).words() }

func readHTML(p *Page, raw []byte, _ Stripper) error {
	text, err := decode(raw, "")
	if err != nil {
		return err
	}
	return p.parse(text)
}

func readMHTML(p *Page, raw []byte, _ Stripper) error {
	body, contentType, err := firstHTML(raw)
	if err != nil {
		return err
	}
	if err := refuse(body); err != nil {
		return err
	}
	text, err := decode(body, contentType)
	if err != nil {
		return err
	}
	err = p.parse(text)
	p.Provenance = readMailHeader(raw)
	return err
}

func readMarkdown(p *Page, raw []byte, strip Stripper) error {
	if strip == nil {
		return errors.New("is Markdown, which cannot be read here")
	}
	text, err := decode(raw, "")
	if err != nil {
		return err
	}
	return p.parse(string(strip([]byte(text))))
}

// parse reads an HTML document that is already decoded.
func (p *Page) parse(text string) error {
	tags := survey(text)
	if cut := tags.truncated(text); cut != "" {
		return errors.New("is truncated: " + cut)
	}
	if tags.reopens {
		return errors.New("leaves so many formatting elements open that its tree would be millions of elements")
	}
	text = noscriptTag.ReplaceAllString(text, "<${1}"+hiddenTag)
	tree, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		if strings.Contains(err.Error(), "512") {
			return errors.New("is nested deeper than 512 open elements, more than the HTML parser allows")
		}
		return errors.New("is not HTML: " + err.Error())
	}
	p.tree = tree
	p.Provenance = readSingleFile(tree)
	p.runs = extract(tree)
	return nil
}

// hiddenTag replaces <noscript>: with scripting off, the parser moves what
// a noscript element of the head may not contain into the body, where it would count
// as visible text.
const hiddenTag = "x-noscript"

var noscriptTag = regexp.MustCompile(`(?i)<(/?)noscript\b`)
