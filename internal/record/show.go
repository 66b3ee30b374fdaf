package record

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"verbatim/internal/problem"
)

// colour matches the sequences that set colours and nothing else (ECMA-48
// SGR): programs that ignore NO_COLOR print them.
var colour = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Show returns the form of printed bytes that fences and pages hold: colours
// gone, CR LF and LF ends of lines, every other control byte and every byte
// that is not UTF-8 as \xNN, controls of the writing direction as \uNNNN. A backslash stays as it is, unless its line holds
// such an escape: there it is doubled, so that the two cannot be confused. A
// last line without an end gets one.
func Show(raw []byte) []byte {
	if len(raw) == 0 {
		return nil
	}
	raw = bytes.ReplaceAll(colour.ReplaceAll(raw, nil), []byte("\r\n"), []byte("\n"))
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		showLine(&out, bytes.TrimSuffix(line, []byte("\n")))
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func showLine(out *bytes.Buffer, line []byte) {
	if !strings.ContainsFunc(string(line), unshowable) && utf8.Valid(line) {
		out.Write(line)
		return
	}
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case r == '\\':
			out.WriteString(`\\`)
		case problem.IsBidiControl(r):
			fmt.Fprintf(out, `\u%04x`, r)
		case r == utf8.RuneError && size == 1, unshowable(r):
			for _, b := range line[:size] {
				fmt.Fprintf(out, `\x%02x`, b)
			}
		default:
			out.Write(line[:size])
		}
		line = line[size:]
	}
}

func unshowable(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || problem.IsBidiControl(r)
}

// Lines splits shown output into its lines, without their ends.
func Lines(output []byte) []string {
	if len(output) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
}
