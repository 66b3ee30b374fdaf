// Package templates promises the built-in theme: the html/template files and
// static files with which a site is drawn that brings none of its own.
package templates

import "embed"

// FS holds at its top *.html and head.js, which stands in every page, and in
// static/ everything else that pages load.
//
//go:embed *.html head.js static
var FS embed.FS
