package record

import (
	"bytes"
	"slices"
	"strings"

	"verbatim/internal/lesson"
)

// Fill returns a lesson's bytes with the body of every fence for which lines
// answers replaced by those lines, and the number of fences that changed. All
// other bytes stay: the edit is by byte range, line ends are those of the
// fence's opening line, each line gets the opening line's prefix, and a marker
// that a line would close is lengthened.
func Fill(src []byte, fences []lesson.Fence, lines func(lesson.Fence) ([]string, bool)) ([]byte, int) {
	fences = slices.Clone(fences)
	slices.SortFunc(fences, func(a, b lesson.Fence) int { return a.Open - b.Open })
	var out bytes.Buffer
	changed, done := 0, 0
	for _, f := range fences {
		want, ok := lines(f)
		if !ok || slices.Equal(Lines(f.Body), want) {
			continue
		}
		out.Write(src[done:f.Open])
		done = replace(&out, src, f, want)
		changed++
	}
	if changed == 0 {
		return src, 0
	}
	out.Write(src[done:])
	return out.Bytes(), changed
}

// replace writes a fence of src with other lines to out, and returns the offset
// in src up to which it did.
func replace(out *bytes.Buffer, src []byte, f lesson.Fence, lines []string) (end int) {
	eol := "\n"
	if bytes.HasSuffix(src[:f.Start], []byte("\r\n")) {
		eol = "\r\n"
	}
	marker := f.Marker
	for _, line := range lines {
		if n := run(line, marker[0]); n >= len(marker) {
			marker = strings.Repeat(marker[:1], n+1)
		}
	}
	out.WriteString(marker)
	out.Write(src[f.Open+len(f.Marker) : f.Start])
	for _, line := range lines {
		prefix := f.Prefix
		if line == "" { // no blanks at a line's end
			prefix = strings.TrimRight(prefix, " \t")
		}
		out.WriteString(prefix + line + eol)
	}
	closing := src[f.End:]
	at := -1
	if len(marker) > len(f.Marker) {
		at = bytes.Index(closing, []byte(f.Marker))
	}
	if at < 0 {
		return f.End
	}
	out.Write(closing[:at])
	out.WriteString(marker)
	return len(src) - len(bytes.TrimLeft(closing[at:], f.Marker[:1]))
}

// run is the length of the run of marker bytes that a line begins with, after
// its indent.
func run(line string, marker byte) int {
	line = strings.TrimLeft(line, " ")
	return len(line) - len(strings.TrimLeft(line, string(marker)))
}
