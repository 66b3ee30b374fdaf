package quote

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless returns n bytes of a pattern without holding them.
func endless(pattern string, n int64) io.Reader {
	return io.LimitReader(&repeater{pattern: pattern}, n)
}

type repeater struct {
	pattern string
	at      int
}

func (r *repeater) Read(b []byte) (int, error) {
	n := copy(b, r.pattern[r.at:])
	r.at = (r.at + n) % len(r.pattern)
	return n, nil
}

// manyFonts opens n elements of which no two are alike.
func manyFonts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<font size=%d>", i)
	}
	return b.String()
}

func gzipped(t *testing.T, r io.Reader) *bytes.Buffer {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestBadPages has what people and networks leave where a page should be.
// Each is refused in words, within the memory that a page may take.
func TestBadPages(t *testing.T) {
	whole := gzipped(t, strings.NewReader("<p>the key will be leaked</p>")).Bytes()
	image, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUg==")
	for _, c := range []struct {
		name, file string
		page       io.Reader
		want       string
	}{
		{"empty", "p.html", strings.NewReader(""), "is empty"},
		{"white space", "p.txt", strings.NewReader(" \n\t"), "is empty"},
		{"empty gzip", "p.html.gz", gzipped(t, strings.NewReader("")), "is empty"},
		{"300 MB", "p.html", endless(strings.Repeat("<p>the key will be leaked</p>\n", 1000), 300<<20), "is larger than 20 MB"},
		{"gzip bomb", "p.html.gz", gzipped(t, endless(strings.Repeat("\x00", 64<<10), 64<<20)), "is larger than 20 MB"},
		{"gzip that ends too early", "p.html.gz", bytes.NewReader(whole[:len(whole)-12]), "is truncated"},
		{"gzip without its sum", "p.html.gz", bytes.NewReader(whole[:len(whole)-3]), "is truncated"},
		{"gzip with a wrong sum", "p.html.gz", bytes.NewReader(append(whole[:len(whole)-8:len(whole)-8], "12345678"...)), "is not valid gzip"},
		{"gzip twice", "p.html.gz", gzipped(t, gzipped(t, strings.NewReader("x"))), "is gzip inside gzip"},
		{"zip", "p.html", strings.NewReader("PK\x03\x04rest"), "is a zip archive"},
		{"image", "p.html", bytes.NewReader(image), "is an image"},
		{"PDF", "p.txt", strings.NewReader("%PDF-1.7"), "is a PDF file"},
		{"bytes", "p.html", strings.NewReader("<p>a\x00b</p>"), "holds zero bytes"},
		{"UTF-16 of odd length", "p.html", strings.NewReader("\xff\xfe<\x00p\x00>"), "is not valid UTF-16"},
		{"UTF-16 with half a character", "p.html", strings.NewReader("\xff\xfe<\x00p\x00>\x00\x00\xd8a\x00"), "is not valid UTF-16"},
		{"UTF-8 mark before other bytes", "p.txt", strings.NewReader("\xef\xbb\xbfcaf\xe9"), "is not valid UTF-8"},
		{"nested too deep", "p.html", strings.NewReader(strings.Repeat("<div>", 600) + "the key will be leaked"), "is nested deeper than 512"},
		{"formatting never closed", "p.html", strings.NewReader("<p>" + manyFonts(480) + strings.Repeat("<p>x", 10000)), "leaves so many formatting elements open"},
		{"ends in a tag", "p.html", strings.NewReader("<p>the key will be leaked</p><div cla"), "is truncated"},
		{"ends in text", "p.html", strings.NewReader("<!DOCTYPE html><html lang=en><p>the key will be lea"), "is truncated"},
		{"MHTML without a part", "p.mhtml", strings.NewReader("Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/css\n\nx\n--B--\n"), "holds no text/html part"},
		{"MHTML that ends too early", "p.mhtml", strings.NewReader("Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n\n<p>the key"), "is truncated"},
		{"no MHTML", "p.mhtml", strings.NewReader("<p>the key will be leaked</p>"), "is not MHTML"},
		{"no Go", "p.go", strings.NewReader("the key will be leaked"), "is not a Go file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := ReadPage(c.file, c.page, strip)
			runtime.ReadMemStats(&after)
			if p != nil || err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			// Reading grows its buffer by doubling, so a page costs a few times
			// its size, whatever follows in the file.
			if used := after.TotalAlloc - before.TotalAlloc; used > 8*MaxPage {
				t.Errorf("allocated %d MB", used>>20)
			}
		})
	}
}

// TestUTF16 reads both byte orders.
func TestUTF16(t *testing.T) {
	for _, page := range []string{"\xff\xfet\x00h\x00e\x00 \x00k\x00e\x00y\x00", "\xfe\xff\x00t\x00h\x00e\x00 \x00k\x00e\x00y"} {
		p, err := ReadPage("p.txt", strings.NewReader(page), nil)
		if err != nil || p.Text() != "the key" {
			t.Errorf("%q: got %v %v", page, p, err)
		}
	}
}

func TestWithoutComments(t *testing.T) {
	for css, want := range map[string]string{
		"":                       "",
		"color: red":             "color: red",
		"dis/* a */play: /**/x":  "dis play:  x",
		"a /* b */ c /* no end":  "a   c  ",
		"/*/ still one */ after": "  after",
	} {
		if got := withoutComments(css); got != want {
			t.Errorf("%q: got %q, want %q", css, got, want)
		}
	}
	// Each comment must not copy all that follows it: pages may have megabytes.
	many := strings.Repeat("/**/", 100_000)
	if n := testing.AllocsPerRun(1, func() { withoutComments(many) }); n > 100 {
		t.Errorf("%v allocations for %d comments", n, len(many)/4)
	}
}
