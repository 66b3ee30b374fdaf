// Package record promises that what an example printed is kept exactly, shown
// readably and compared honestly: the same run gives the same bytes, and two
// outputs are called equal only when they are.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"verbatim/internal/problem"
	"verbatim/internal/yamldoc"
)

// The files of a record, inside its folder.
const (
	OutputFile = "output.txt"
	RecordFile = "record.yaml"
)

// Record is the content of one recorded/ folder.
type Record struct {
	Output   []byte            // the shown form: see Show
	Raw      string            // SHA-256 of the bytes that were printed
	Inputs   map[string]string // what the run depended on → its digest
	Recorded Provenance
}

// Provenance says where the lines came from: the run that last changed them.
type Provenance struct {
	Redis string `yaml:"redis,omitempty"` // the version that answered
	Image string `yaml:"image,omitempty"` // the container image, if one ran
	Go    string `yaml:"go,omitempty"`
	Date  string `yaml:"date"` // 2026-11-29, in UTC
}

// onDisk is record.yaml.
type onDisk struct {
	Recorded Provenance        `yaml:"recorded"`
	Raw      string            `yaml:"output"`
	Inputs   map[string]string `yaml:"inputs"`
}

// Digest is how inputs and outputs are identified: sha256 in hex.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Read gives the record in dir, or nil where there is none. A record that
// cannot be read is a problem at its file, and no record.
func Read(fsys fs.FS, dir string) (*Record, problem.List) {
	var ps problem.List
	file := path.Join(dir, RecordFile)
	src, err := fs.ReadFile(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		ps.Add(problem.Pos{File: file}, "record", "cannot be read: %v", err)
		return nil, ps
	}
	var disk onDisk
	if _, ps = yamldoc.Decode(file, 0, src, &disk, false); len(ps) > 0 {
		return nil, ps
	}
	output, err := fs.ReadFile(fsys, path.Join(dir, OutputFile))
	if err != nil {
		ps.AddHint(problem.Pos{File: path.Join(dir, OutputFile)}, "record",
			"delete "+dir+" and run build again", "cannot be read: %v", err)
		return nil, ps
	}
	return &Record{Output: output, Raw: disk.Raw, Inputs: disk.Inputs, Recorded: disk.Recorded}, nil
}

// Files gives the record's files by their name.
func (r *Record) Files() (map[string][]byte, error) {
	y, err := yamldoc.Encode(onDisk{Recorded: r.Recorded, Raw: r.Raw, Inputs: r.Inputs})
	if err != nil {
		return nil, fmt.Errorf("write record: %w", err)
	}
	head := []byte("# written by build; read it in review, never edit it\n")
	return map[string][]byte{OutputFile: r.Output, RecordFile: append(head, y...)}, nil
}

// Renew gives the record of a new run that printed raw and depended on inputs.
// Where the lines are those of old, old's provenance stays: a page shows when
// its lines were born, and a re-run that confirms them changes no date.
func Renew(old *Record, raw []byte, inputs map[string]string, now Provenance) *Record {
	r := &Record{Output: Show(raw), Raw: Digest(raw), Inputs: inputs, Recorded: now}
	if old != nil && bytes.Equal(old.Output, r.Output) {
		r.Recorded = old.Recorded
	}
	return r
}
