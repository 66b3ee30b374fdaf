package record

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"verbatim/internal/problem"
)

// Bounds of what a run may record.
const (
	MaxRows   = 10_000
	MaxValues = 1 << 20 // bytes of all values
	MaxTables = 8 << 20 // bytes of all tables
)

var valueName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// ParseValues reads "name=value" lines, each name once. The error is for the
// example's author.
func ParseValues(src []byte) (map[string]string, error) {
	if len(src) > MaxValues {
		return nil, fmt.Errorf("values: more than %d bytes", MaxValues)
	}
	values := map[string]string{}
	for i, line := range Lines(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))) {
		name, value, found := strings.Cut(line, "=")
		_, twice := values[name]
		switch {
		case !found || !valueName.MatchString(name):
			return nil, fmt.Errorf("values, line %d: %q is not name=value, with a name such as leaked_keys", i+1, line)
		case twice:
			return nil, fmt.Errorf("values, line %d: %q is recorded twice", i+1, name)
		case !utf8.ValidString(value) || strings.ContainsFunc(value, unshowable):
			return nil, fmt.Errorf("values, line %d: the value of %q is not one line of text", i+1, name)
		}
		values[name] = value
	}
	return values, nil
}

func formatValues(values map[string]string) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s=%s\n", name, values[name])
	}
	return b.Bytes()
}

// ParseTable reads a table: CSV in UTF-8 whose first row names the columns. The
// error is for the example's author.
func ParseTable(name string, src []byte) ([][]string, error) {
	if !utf8.Valid(src) {
		return nil, fmt.Errorf("table %s: not UTF-8", name)
	}
	if bytes.ContainsFunc(src, problem.IsBidiControl) {
		return nil, fmt.Errorf("table %s: a character changes the direction in which its text is shown", name)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(src, []byte("\uFEFF")))) // spreadsheets begin with one
	rows, err := r.ReadAll()
	switch {
	case err != nil:
		return nil, fmt.Errorf("table %s: %v", name, err)
	case len(rows) == 0:
		return nil, fmt.Errorf("table %s: no header row", name)
	case len(rows)-1 > MaxRows:
		return nil, fmt.Errorf("table %s: more than %d rows", name, MaxRows)
	}
	for i, column := range rows[0] {
		if strings.TrimSpace(column) == "" || slices.Index(rows[0], column) < i {
			return nil, fmt.Errorf("table %s: column %d has no name of its own", name, i+1)
		}
	}
	return rows, nil
}

// tableFile reports whether a table may have this name.
func tableFile(name string) bool {
	return path.Ext(name) == ".csv" && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "/\\:")
}

// ReadTables reads the tables that a run left in a folder. The error is for the
// example's author, or wraps one of the file system's.
func ReadTables(fsys fs.FS) (map[string][]byte, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	tables, total := map[string][]byte{}, int64(0)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return nil, fmt.Errorf("read the tables: %w", err)
		}
		if !info.Mode().IsRegular() || !tableFile(entry.Name()) {
			return nil, fmt.Errorf("%q is not a table: record regular files named *.csv, in no folder", entry.Name())
		}
		if total += info.Size(); total > MaxTables {
			return nil, fmt.Errorf("tables: more than %d bytes", MaxTables)
		}
		src, err := fs.ReadFile(fsys, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read the tables: %w", err)
		}
		src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		if _, err := ParseTable(entry.Name(), src); err != nil {
			return nil, err
		}
		tables[entry.Name()] = src
	}
	return tables, nil
}

// readFigures reads the values and tables of a record.
func readFigures(fsys fs.FS, dir string) (map[string]string, map[string][]byte, problem.List) {
	var ps problem.List
	complain := func(name string, err error) {
		ps.AddHint(problem.Pos{File: path.Join(dir, name)}, "record", "delete "+dir+" and run build again", "%v", err)
	}
	var values map[string]string
	src, err := fs.ReadFile(fsys, path.Join(dir, ValuesFile))
	if err == nil {
		values, err = ParseValues(src)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		complain(ValuesFile, err)
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		complain("", err)
	}
	tables := map[string][]byte{}
	for _, entry := range entries {
		if !tableFile(entry.Name()) {
			continue
		}
		src, err := fs.ReadFile(fsys, path.Join(dir, entry.Name()))
		src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		if err == nil {
			_, err = ParseTable(entry.Name(), src)
		}
		if err != nil {
			complain(entry.Name(), err)
		}
		tables[entry.Name()] = src
	}
	return values, tables, ps
}
