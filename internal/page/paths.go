package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"

	"verbatim/internal/problem"
)

// readStatic reads the theme's static files and adds to their names 8
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
		if ext == ".js" {
			data = compact(data)
		}
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

// compact leaves out of a script what only its authors read: indents, and lines
// that are comments. The theme's scripts have no text that goes over lines.
func compact(script []byte) []byte {
	var out []byte
	for line := range bytes.Lines(script) {
		if line = bytes.TrimLeft(line, "\t"); !bytes.HasPrefix(line, []byte("//")) {
			out = append(out, line...)
		}
	}
	return out
}

// readInline reads the scripts of a theme that stand in the page itself, by
// name.
func readInline(fsys fs.FS) (map[string]template.JS, error) {
	names, err := fs.Glob(fsys, "*.js")
	if err != nil {
		return nil, fmt.Errorf("read the templates' scripts: %w", err)
	}
	scripts := map[string]template.JS{}
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read the templates' scripts: %w", err)
		}
		scripts[name] = template.JS(strings.TrimSpace(string(data)))
	}
	return scripts, nil
}

// inlineHash is how a page's security policy names such a script.
func inlineHash(script template.JS) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
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

// AliasPath returns the file that answers for an old address, or says what is
// wrong with it.
func AliasPath(alias string) (file, wrong string) {
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
	switch {
	case !fs.ValidPath(file):
		return "", "leaves the site"
	case strings.HasPrefix(path.Base(file), "."):
		return "", "names no page"
	case strings.ContainsFunc(file, unicode.IsControl):
		return "", "holds a control character"
	}
	return file, ""
}

// places knows which source each address belongs to, and each folder's name.
type places struct {
	files   map[string]string
	folders map[string]string
	ours    map[string]bool // sources that no author can rename
}

// newPlaces returns the places with the files that every site has.
func newPlaces(static []File) *places {
	p := &places{map[string]string{}, map[string]string{}, map[string]bool{}}
	var none problem.List
	for _, own := range []struct{ file, what string }{
		{"index.html", "the home page"}, {"404.html", "the page for missing pages"},
		{"evidence.html", "the page about the evidence"}, {"search.html", "the search page"},
		{"search/index.js", theSearch}, {"static/style.css", theTheme},
	} {
		p.makes(own.file, own.what, &none)
	}
	for _, f := range static {
		p.makes(f.Path, theTheme, &none)
	}
	return p
}

const (
	theSearch = "the search index"
	theTheme  = "the theme"
)

// searchFile matches the files of the search index, whose names depend on their
// content.
var searchFile = regexp.MustCompile(`^search/[a-z]+-[0-9a-f]{8}\.js$`)

// makes takes a place for a file that the build makes by itself.
func (p *places) makes(file, what string, ps *problem.List) bool {
	p.ours[what] = true
	return p.take(file, what, problem.Pos{File: "content"}, ps)
}

// take reserves the address of file for source, or adds a problem at pos: two
// sources of one address, or a file that has the name of a folder.
func (p *places) take(file, source string, pos problem.Pos, ps *problem.List) bool {
	key, name := address(file), strings.ToLower(file)
	if searchFile.MatchString(name) {
		p.files[key] = theSearch
	}
	if other, taken := p.files[key]; taken {
		ps.AddHint(pos, "path", p.rename(source, other), "%s and %s would both be %s", source, other, file)
		return false
	}
	if other, taken := p.folders[name]; taken {
		ps.AddHint(pos, "path", p.rename(source, "the folder "+file), "%s would be the file %s, which is a folder of %s", source, file, other)
		return false
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if other, taken := p.files["file "+strings.ToLower(dir)]; taken {
			ps.AddHint(pos, "path", p.rename(source, other), "%s would lie in %s, which is a file of %s", source, dir, other)
			return false
		}
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		p.folders[strings.ToLower(dir)] = source
	}
	p.files[key], p.files["file "+name] = source, source
	return true
}

// rename is the hint for two sources of one place: only the author's own can be
// renamed.
func (p *places) rename(source, other string) string {
	switch {
	case p.ours[source]:
		return "rename " + other
	case p.ours[other]:
		return "rename " + source
	}
	return "rename one of them"
}
