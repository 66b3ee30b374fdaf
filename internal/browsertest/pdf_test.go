package browsertest

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/chromedp/chromedp"
)

// maxSheets is the number of pages that the real lesson may take on paper.
const maxSheets = 24

var (
	pdfTitle = regexp.MustCompile(`/Title (?:\(((?:[^()\\]|\\.)*)\)|<([0-9A-F]*)>)`)
	pdfSheet = regexp.MustCompile(`/Type /Page\b`)
)

// TestPDF checks that a lesson's PDF is tagged, has the headings as its outline, and is
// not too long.
func TestPDF(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		headings := eval[[]string](b, `dom.all("h1, h2, h3, h4, h5, h6").map(h => h.textContent.replace(/\s/g, ""))`)
		pdf := get(b, chromedp.PrintToPDF(chromedp.PDFOutlineAndTagged()))
		for _, key := range []string{"/StructTreeRoot", "/Outlines", "/MarkInfo"} {
			if !bytes.Contains(pdf, []byte(key)) {
				b.Errorf("the PDF has no %s", key)
			}
		}
		titles := outline(pdf)
		slices.Sort(titles)
		slices.Sort(headings)
		if !slices.Equal(titles, headings) {
			b.Errorf("the outline is %q, the headings are %q", titles, headings)
		}
		sheets := len(pdfSheet.FindAll(pdf, -1))
		b.Logf("%d sheets, %d bytes", sheets, len(pdf))
		if s.name == "real" && sheets > maxSheets {
			b.Errorf("%d sheets, more than %d", sheets, maxSheets)
		}
	})
}

// outline returns the titles of a PDF's outline. The first title in the file is that of
// the document.
func outline(pdf []byte) (titles []string) {
	for _, m := range pdfTitle.FindAllSubmatch(pdf, -1) {
		title := regexp.MustCompile(`\\(.)`).ReplaceAllString(string(m[1]), "$1")
		if raw, err := hex.DecodeString(string(m[2])); err == nil && len(raw) > 2 {
			var units []uint16
			for i := 2; i+1 < len(raw); i += 2 {
				units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
			}
			title = string(utf16.Decode(units))
		}
		titles = append(titles, strings.Join(strings.Fields(title), ""))
	}
	if len(titles) == 0 {
		return nil
	}
	return titles[1:]
}
