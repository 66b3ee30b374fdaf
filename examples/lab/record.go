package lab

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Where a build picks up what an example records. Alone, neither is set.
const (
	envValues = "VERBATIM_VALUES"
	envRecord = "VERBATIM_RECORD"
)

var (
	valueName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	tableName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*\.csv$`)
)

// Value records v, as fmt.Print writes it, under a name such as "leaked": a
// lesson shows it with {{example.leaked}} and compares an answer with it through
// check="example#leaked". Without a build nothing is written. A name that is not
// made of a-z, 0-9 and _, or stood before, and a value that is empty or longer
// than a line are errors.
func (l *Lab) Value(name string, v any) error {
	text := fmt.Sprint(v)
	switch {
	case !valueName.MatchString(name):
		return fmt.Errorf("value %q: a name begins with a letter and holds a-z, 0-9 and _", name)
	case l.recorded[name]:
		return fmt.Errorf("value %s is recorded twice", name)
	case strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n"):
		return fmt.Errorf("value %s is %q; it is one line of text", name, text)
	}
	l.remember(name)
	return write(os.Getenv(envValues), os.O_APPEND, func(f *os.File) error {
		_, err := fmt.Fprintf(f, "%s=%s\n", name, text)
		return err
	})
}

// Table records rows under the name of a CSV file, "burst.csv": a lesson draws
// it with ```chart {data="example/burst.csv" …}. The header names the columns.
// Without a build nothing is written. A row of another length than the header,
// and a file name that is not as above or stood before, are errors.
func (l *Lab) Table(file string, header []string, rows [][]string) error {
	switch {
	case !tableName.MatchString(file):
		return fmt.Errorf("table %q: a name holds a-z, 0-9, _ and -, and ends in .csv", file)
	case l.recorded[file]:
		return fmt.Errorf("table %s is recorded twice", file)
	case len(header) == 0:
		return fmt.Errorf("table %s has no columns", file)
	}
	for i, row := range rows {
		if len(row) != len(header) {
			return fmt.Errorf("table %s: row %d has %d cells, the header %d", file, i+1, len(row), len(header))
		}
	}
	l.remember(file)
	path := os.Getenv(envRecord)
	if path != "" {
		path = filepath.Join(path, file)
	}
	return write(path, os.O_EXCL, func(f *os.File) error {
		return csv.NewWriter(f).WriteAll(append([][]string{header}, rows...))
	})
}

func (l *Lab) remember(name string) {
	if l.recorded == nil {
		l.recorded = map[string]bool{}
	}
	l.recorded[name] = true
}

// write opens a file that may be new and lets fill write to it. Without a path
// it does nothing.
func write(path string, flag int, fill func(*os.File) error) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o644)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if err := errors.Join(fill(f), f.Close()); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}
