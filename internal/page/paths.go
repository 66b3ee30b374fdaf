package page

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"verbatim/internal/problem"
)

// readStatic reads the theme's static files and gives them names that hold 8
// hex digits of their content, so that a browser may keep them for ever.
func readStatic(fsys fs.FS) (files []File, names map[string]string, err error) {
	names = map[string]string{}
	err = fs.WalkDir(fsys, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		ext := path.Ext(name)
		sum := sha256.Sum256(data)
		hashed := fmt.Sprintf("%s-%x%s", strings.TrimSuffix(name, ext), sum[:4], ext)
		files = append(files, File{hashed, data})
		names[strings.TrimPrefix(name, "static/")] = hashed
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the templates' static files: %w", err)
	}
	return files, names, nil
}

// pagePath is where a lesson's page lies.
func pagePath(id string) string { return id + ".html" }

// rootOf leads from a page back to the top: "../" for each folder.
func rootOf(page string) string { return strings.Repeat("../", strings.Count(page, "/")) }

// address is what a host may serve a path as: the case may not count, and
// "a.html", "a/" and "a/index.html" may be one place.
func address(file string) string {
	file = strings.ToLower(file)
	file = strings.TrimSuffix(file, ".html")
	if file != "index" {
		file = strings.TrimSuffix(file, "/index")
	}
	return file
}

// aliasPath gives the file that answers for an old address, or says what is
// wrong with it.
func aliasPath(alias string) (file, wrong string) {
	file = strings.TrimPrefix(alias, "/")
	switch ext := path.Ext(file); {
	case strings.Contains(alias, ":"), strings.HasPrefix(alias, "//"), strings.ContainsAny(alias, "\\?#"):
		return "", "is not a local path"
	case strings.HasSuffix(file, "/"):
		file += "index.html"
	case ext == ".md":
		file = strings.TrimSuffix(file, ext) + ".html"
	case ext != ".html":
		file += ".html"
	}
	if !fs.ValidPath(file) {
		return "", "leaves the site"
	}
	return file, ""
}

// places knows which source each address belongs to.
type places map[string]string

// take gives the address of file to source, or complains at pos.
func (p places) take(file, source string, pos problem.Pos, ps *problem.List) bool {
	key := address(file)
	if other, taken := p[key]; taken {
		ps.AddHint(pos, "path", "rename one of them", "%s and %s would both be %s", source, other, file)
		return false
	}
	p[key] = source
	return true
}
