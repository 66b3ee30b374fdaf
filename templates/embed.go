// Package templates promises the built-in theme: the html/template files and
// static files with which a site is drawn that brings none of its own.
package templates

import "embed"

// FS holds *.html at its top and everything else that pages load in static/.
//
//go:embed *.html static
var FS embed.FS
