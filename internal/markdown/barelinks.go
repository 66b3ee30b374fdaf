package markdown

import (
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// What an address may hold that is written as it is. goldmark ends it at the
// first letter beyond ASCII; here letters, marks and digits of every script go
// on, and punctuation beyond ASCII ends it, as in 见 https://example.org/词。
const (
	hostPattern = `[-a-zA-Z0-9@:%._\+~#=\pL\pM\pN]{1,256}\.[a-z\pL\pM]+`
	pathPattern = `(?:[/#?][-a-zA-Z0-9@:%_+.~#$!?&/=\(\);,'">\^{}\[\]` + "`" + `\pL\pM\pN]*)?`
)

var (
	urlPattern = regexp.MustCompile(`^(?:http|https|ftp)://` + hostPattern + `(?::\d+)?` + pathPattern)
	wwwPattern = regexp.MustCompile(`^www\.` + hostPattern + pathPattern)
)

// bareLinks makes links of addresses in text.
func bareLinks() goldmark.Extender {
	return extension.NewLinkify(extension.WithLinkifyURLRegexp(urlPattern), extension.WithLinkifyWWWRegexp(wwwPattern))
}
