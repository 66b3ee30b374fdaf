package site

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"verbatim/internal/lesson"
	"verbatim/internal/page"
)

// maxSource is the size in bytes above which a file of an example is not shown
// on the example's page.
const maxSource = 64 << 10

// sources reads what an example's own page shows of it: the commands of a
// transcript, or else its text files, but not its record.
func (b *build) sources(e lesson.Example) (files []page.File, err error) {
	if e.IsTranscript() {
		var text strings.Builder
		for _, c := range e.Commands {
			text.WriteString(c.Text + "\n")
		}
		return []page.File{{Path: "commands", Data: []byte(text.String())}}, nil
	}
	dir := e.Dir
	err = fs.WalkDir(b.fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(name, dir+"/")
		hidden := strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(d.Name(), "~")
		if d.IsDir() && (rel == "recorded" || rel == "testdata" || hidden) {
			return fs.SkipDir
		}
		if hidden || !d.Type().IsRegular() {
			return nil
		}
		data, err := fs.ReadFile(b.fsys, name)
		if err == nil && len(data) <= maxSource && utf8.Valid(data) {
			files = append(files, page.File{Path: path.Clean(rel), Data: data})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of %s: %w", dir, err)
	}
	return files, nil
}
