package quote

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// MaxPage is the size in bytes, after decompression, above which a page is
// refused.
const MaxPage = 20 << 20

var (
	errEmpty   = errors.New("is empty")
	errTooBig  = fmt.Errorf("is larger than %d MB", MaxPage>>20)
	errUTF16   = errors.New("is not valid UTF-16, though its byte-order mark says so")
	errUTF8    = errors.New("is not valid UTF-8, though its byte-order mark says so")
	errNotText = errors.New("holds zero bytes: it is not text")
)

func isGzip(stored []byte) bool { return bytes.HasPrefix(stored, []byte("\x1f\x8b")) }

// unpack returns the bytes of a page that is kept as gzip.
func unpack(stored []byte) ([]byte, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		return nil, fmt.Errorf("is not valid gzip: %w", err)
	}
	raw, err := readWithin(unzip)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("is truncated: its gzip data ends too early")
	}
	if err != nil && !errors.Is(err, errTooBig) {
		return nil, fmt.Errorf("is not valid gzip: %w", err)
	}
	return raw, err
}

// readWithin reads at most MaxPage bytes.
func readWithin(r io.Reader) ([]byte, error) {
	var raw bytes.Buffer
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Size() <= MaxPage {
			raw.Grow(int(info.Size()) + bytes.MinRead) // or it would grow piece by piece
		}
	}
	if _, err := raw.ReadFrom(io.LimitReader(r, MaxPage+1)); err != nil {
		return nil, err
	}
	if raw.Len() > MaxPage {
		return nil, errTooBig
	}
	return raw.Bytes(), nil
}

// magics are the first bytes of what people save by mistake instead of a page.
var magics = []struct{ prefix, what string }{
	{"PK\x03\x04", "a zip archive"},
	{"\x1f\x8b", "gzip inside gzip"},
	{"\x89PNG", "an image"},
	{"\xff\xd8\xff", "an image"},
	{"GIF8", "an image"},
	{"RIFF", "an image"},
	{"%PDF-", "a PDF file"},
	{"bplist00", "a Safari web archive"},
}

// refuse returns the reason why raw cannot be a page, or nil.
func refuse(raw []byte) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return errEmpty
	}
	for _, m := range magics {
		if bytes.HasPrefix(raw, []byte(m.prefix)) {
			return fmt.Errorf("is %s, not a page: save its text or its HTML", m.what)
		}
	}
	return nil
}

// UTF8 returns the bytes of a page as UTF-8 where a server declares another
// charset for them, which a saved file would not remember; else raw as it is.
// An error is in words that go on after the page's name.
func UTF8(raw []byte, contentType string) ([]byte, error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["charset"] == "" || utf8.Valid(raw) {
		return raw, nil
	}
	text, err := decode(raw, contentType)
	return []byte(text), err
}

// decode turns a page's bytes into text. contentType is what a part of an
// MHTML file declares, else "". A byte-order mark rules; then UTF-8 wherever
// the bytes are valid UTF-8, since a wrong declaration is more common than
// bytes that happen to be; then the declaration; then windows-1252.
func decode(raw []byte, contentType string) (string, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return decodeUTF16(raw)
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw = raw[3:]
		if !utf8.Valid(raw) {
			return "", errUTF8
		}
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return "", errNotText
	}
	if utf8.Valid(raw) {
		return string(raw), nil
	}
	text, err := declared(raw, contentType).Bytes(raw)
	return string(text), err
}

// decodeUTF16 refuses odd lengths and lone surrogates, which the decoder would
// replace in silence.
func decodeUTF16(raw []byte) (string, error) {
	text, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(raw)
	if err != nil || len(raw)%2 != 0 || bytes.ContainsRune(text, utf8.RuneError) {
		return "", errUTF16
	}
	return string(text), nil
}

// declared returns the decoder that the page asks for, else windows-1252.
func declared(raw []byte, contentType string) interface{ Bytes([]byte) ([]byte, error) } {
	// The library guesses UTF-8 from the first kilobyte where nothing is
	// declared; these bytes are known not to be, so it sees none above ASCII.
	head := bytes.Clone(raw[:min(len(raw), 1024)])
	for i, b := range head {
		if b >= utf8.RuneSelf {
			head[i] = '?'
		}
	}
	if e, _, _ := charset.DetermineEncoding(head, contentType); e != nil {
		return e.NewDecoder()
	}
	return charmap.Windows1252.NewDecoder()
}

// maxParts bounds how deep multipart bodies may nest.
const maxParts = 8

// firstHTML returns the first text/html part of an MHTML file, and its content
// type.
func firstHTML(raw []byte) (body []byte, contentType string, err error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, "", errors.New("is not MHTML: its header cannot be read")
	}
	body, contentType, err = htmlPart(m.Body, m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), maxParts)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, "", errors.New("is truncated: its last MIME part does not end")
	case err != nil:
		return nil, "", fmt.Errorf("is not MHTML: %w", err)
	case body == nil:
		return nil, "", errors.New("holds no text/html part")
	}
	return body, contentType, nil
}

func htmlPart(r io.Reader, contentType, encoding string, depth int) ([]byte, string, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, "", err
	}
	if kind == "text/html" {
		body, err := io.ReadAll(transfer(r, encoding))
		return body, contentType, err
	}
	if !strings.HasPrefix(kind, "multipart/") || depth == 0 {
		return nil, "", nil
	}
	parts := multipart.NewReader(r, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", err
		}
		body, found, err := htmlPart(part, part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), depth-1)
		if err != nil || body != nil {
			return body, found, err
		}
	}
}

// transfer undoes a part's content transfer encoding.
func transfer(r io.Reader, encoding string) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		return quotedprintable.NewReader(r)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, r)
	}
	return r
}
