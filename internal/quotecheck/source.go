package quotecheck

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"

	"verbatim/internal/lesson"
	"verbatim/internal/yamldoc"
)

// newSource is source.yaml as it is written for a new source.
type newSource struct {
	Title   string `yaml:"title"`
	URL     string `yaml:"url"`
	Copy    string `yaml:"copy"`
	Saved   string `yaml:"saved"`
	Publish bool   `yaml:"publish"`
}

// sourceFile returns the bytes of source.yaml. In an existing file
// only the lines about the copy change.
func sourceFile(fsys fs.FS, s lesson.Source, known bool) ([]byte, error) {
	if !known {
		return yamldoc.Encode(newSource{s.Title, s.URL, s.Copy, s.Saved, s.Publish})
	}
	src, err := fs.ReadFile(fsys, s.File)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.File, err)
	}
	for _, set := range []struct{ key, value string }{{"url", s.URL}, {"copy", s.Copy}, {"saved", s.Saved}} {
		if src, err = setKey(src, set.key, set.value); err != nil {
			return nil, fmt.Errorf("edit %s: %w", s.File, err)
		}
	}
	if got := readOrigin(src); got != (origin{s.URL, s.Copy, s.Saved}) {
		return nil, fmt.Errorf("edit %s: write it as lines of the form \"key: value\", without braces", s.File)
	}
	return src, nil
}

// origin holds the lines of source.yaml about the copy.
type origin struct {
	URL   string `yaml:"url"`
	Copy  string `yaml:"copy"`
	Saved string `yaml:"saved"`
}

func readOrigin(src []byte) origin {
	var o origin
	_, _ = yamldoc.Decode("", 0, src, &o, false) // other keys are no news here
	return o
}

// setKey sets a top-level key of a YAML mapping, all of whose other lines
// stay. A key that has the value already is left as it is written.
func setKey(src []byte, key, value string) ([]byte, error) {
	var o origin
	places, _ := yamldoc.Decode("", 0, src, &o, false)
	if was := map[string]string{"url": o.URL, "copy": o.Copy, "saved": o.Saved}[key]; was == value {
		return src, nil
	}
	entry, err := yamldoc.Encode(map[string]string{key: value})
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	at, ok := places[key]
	if !ok {
		if last := lines[len(lines)-1]; len(last) > 0 {
			lines = append(lines, []byte("\n"))
		}
		return append(bytes.Join(lines, nil), entry...), nil
	}
	end := len(lines) + 1 // the line after the key's
	for _, other := range places {
		if other.Line > at.Line {
			end = min(end, other.Line)
		}
	}
	// Comments and blank lines above the next key are about that one.
	for end-2 >= at.Line && isComment(lines[end-2]) {
		end--
	}
	lines = slices.Replace(lines, at.Line-1, end-1, entry)
	return bytes.Join(lines, nil), nil
}

func isComment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}
