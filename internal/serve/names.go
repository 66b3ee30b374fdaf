package serve

import (
	"path"
	"slices"
	"strings"
)

// roots are the folders of a site whose changes matter, with all below them.
// Of the root itself only these names and files matter.
var (
	roots     = []string{"content", "examples", "quotes", "templates"}
	rootFiles = []string{"go.mod", "go.sum"}
)

// matters tells whether a change at a path of the site, slash-separated, may
// change a page. What editors leave beside a file while they save does not, nor
// what no reader of the site looks at.
func matters(name string) bool {
	top, _, below := strings.Cut(name, "/")
	if !slices.Contains(roots, top) {
		return !below && slices.Contains(rootFiles, name)
	}
	return !slices.ContainsFunc(strings.Split(name, "/"), passing)
}

// passing tells names of files that come and go beside the author's own.
func passing(name string) bool {
	switch {
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "~"), // hidden files, backups
		name == "4913", // vim asks whether it may write
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"), // Emacs saves in between
		name == "node_modules", name == "__pycache__":
		return true
	}
	switch path.Ext(name) {
	case ".swp", ".swo", ".swx":
		return true
	}
	return false
}
