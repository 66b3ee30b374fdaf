package serve

import (
	"path"
	"slices"
	"strings"
)

// The sources of a site: the directories whose whole content is watched, and the
// files of the root.
var (
	sourceDirs  = []string{"content", "examples", "quotes", "templates"}
	sourceFiles = []string{"go.mod", "go.sum"}
)

// isSource reports whether a change of the path, which is slash-separated and
// relative to the root, may change a page.
func isSource(name string) bool {
	top, _, below := strings.Cut(name, "/")
	if !slices.Contains(sourceDirs, top) {
		return !below && slices.Contains(sourceFiles, name)
	}
	return !slices.ContainsFunc(strings.Split(name, "/"), isTemporary)
}

// isTemporary reports whether a base name is that of a hidden file, a backup or
// temporary file of an editor, or a directory of a package manager.
func isTemporary(name string) bool {
	switch {
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "~"), // hidden files, backups
		name == "4913", // vim creates it to test whether it may write
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"), // auto-save files of Emacs
		name == "node_modules", name == "__pycache__":
		return true
	}
	switch path.Ext(name) {
	case ".swp", ".swo", ".swx": // swap files of vim
		return true
	}
	return false
}
