// Package record reads, writes and compares records: what one run of an example
// printed, its values and tables, and its provenance. The same run always has the
// same bytes. Rules decide which differences between two runs count.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"verbatim/internal/problem"
	"verbatim/internal/yamldoc"
)

// The files of a record, inside its folder. Every other file there is a table.
const (
	OutputFile = "output.txt"
	ValuesFile = "values.txt"
	RecordFile = "record.yaml"
)

// Evidence is what one run showed.
type Evidence struct {
	Output []byte            // the shown form of what it printed: see Show
	Raw    string            // SHA-256 of the bytes that were printed
	Values map[string]string // what it appended to VERBATIM_VALUES
	Tables map[string][]byte // what it left in VERBATIM_RECORD, by file name
}

// Record is the content of one recorded/ folder.
type Record struct {
	Evidence
	Inputs   map[string]string // what the run depended on → its digest
	Compiled []string          // the files of the site that the program was compiled from, sorted
	Recorded Provenance
	// Torn reports that the checksum does not match: a build was killed between two
	// files, or one of them was edited.
	Torn bool
}

// Provenance describes the run that last changed the evidence. The checksum covers it.
type Provenance struct {
	Redis string `yaml:"redis,omitempty"` // the version that answered
	Image string `yaml:"image,omitempty"` // the container image, if one ran
	Go    string `yaml:"go,omitempty"`
	// Connected reports that the program connected to its service.
	Connected bool   `yaml:"connected,omitempty"`
	Date      string `yaml:"date"` // 2026-11-29, in UTC
}

// onDisk is record.yaml.
type onDisk struct {
	Recorded Provenance        `yaml:"recorded"`
	Raw      string            `yaml:"output"`   // digest of the bytes that were printed
	Evidence string            `yaml:"evidence"` // checksum: see Record.checksum
	Compiled []string          `yaml:"compiled,omitempty"`
	Inputs   map[string]string `yaml:"inputs"`
}

// Digest is how inputs and outputs are identified: sha256 in hex.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Read returns the record in dir, or nil where there is none. A record that
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
	// A checkout may have made CR LF of the line ends, and an editor may have
	// put in what no run shows: what is shown already stays as it is.
	output = Show(output)
	r := &Record{Evidence: Evidence{Output: output, Raw: disk.Raw}, Inputs: disk.Inputs, Compiled: disk.Compiled, Recorded: disk.Recorded}
	if r.Values, r.Tables, ps = readFigures(fsys, dir); len(ps) > 0 {
		return nil, ps
	}
	r.Torn = disk.Evidence != r.checksum()
	return r, nil
}

// evidenceFiles returns the files of the evidence, by their name.
func (e *Evidence) evidenceFiles() map[string][]byte {
	files := map[string][]byte{OutputFile: e.Output}
	if len(e.Values) > 0 {
		files[ValuesFile] = formatValues(e.Values)
	}
	for name, table := range e.Tables {
		files[name] = table
	}
	return files
}

// checksum returns the digest of the evidence, of what the program was compiled
// from, of the inputs and of the provenance.
func (r *Record) checksum() string {
	files := maps.Clone(r.evidenceFiles())
	p := r.Recorded
	files["/recorded"] = fmt.Appendf(nil, "%q %q %q %t %q %q", p.Redis, p.Image, p.Go, p.Connected, p.Date, r.Raw) // no file has such a name
	files["/compiled"] = []byte(strings.Join(r.Compiled, "\n"))
	var inputs []byte
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		inputs = fmt.Appendf(inputs, "%q %q\n", name, r.Inputs[name])
	}
	files["/inputs"] = inputs
	return digestAll(files)
}

// digestAll is one digest for files by name.
func digestAll(files map[string][]byte) string {
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&list, "%s %s\n", Digest(files[name]), name)
	}
	return Digest([]byte(list.String()))
}

// Files returns the record's files by their name.
func (r *Record) Files() (map[string][]byte, error) {
	files := r.evidenceFiles()
	y, err := yamldoc.Encode(onDisk{Recorded: r.Recorded, Raw: r.Raw, Evidence: r.checksum(), Compiled: r.Compiled, Inputs: r.Inputs})
	if err != nil {
		return nil, fmt.Errorf("write record: %w", err)
	}
	head := []byte("# written by build; read it in review, never edit it\n")
	files[RecordFile] = append(head, y...)
	return files, nil
}

// Renew returns the record that follows old, or nil, after a run that showed now.
// next holds the inputs, the compiled files and the provenance of that run. Where
// the run showed what old holds, under the rules of its example, old's evidence
// and provenance stay: a page shows when its lines were first recorded, and a
// run that confirms them changes no byte of it. An example that needs a service
// now and needed none before, or the reverse, has a new provenance.
func Renew(old *Record, rules Rules, now *Evidence, next Record) *Record {
	next.Evidence = *now
	if old != nil && !old.Torn && old.Recorded.sameKind(next.Recorded) && rules.Diff(&old.Evidence, now) == "" {
		next.Evidence, next.Recorded = old.Evidence, old.Recorded
	}
	return &next
}

// sameKind reports whether two provenances are of runs that had the same kind of
// service and toolchain, and both or neither connected.
func (p Provenance) sameKind(q Provenance) bool {
	return p.Connected == q.Connected && (p.Redis == "") == (q.Redis == "") && (p.Go == "") == (q.Go == "")
}
