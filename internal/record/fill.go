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
	slices.SortFunc(fences, func(a, b lesson.Fence) int { return b.Open - a.Open })
	changed := 0
	for _, f := range fences { // from the end, so that offsets stay true
		want, ok := lines(f)
		if !ok || slices.Equal(Lines(f.Body), want) {
			continue
		}
		src = replace(src, f, want)
		changed++
	}
	return src, changed
}

func replace(src []byte, f lesson.Fence, lines []string) []byte {
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
	var body strings.Builder
	for _, line := range lines {
		prefix := f.Prefix
		if line == "" { // no blanks at a line's end
			prefix = strings.TrimRight(prefix, " \t")
		}
		body.WriteString(prefix + line + eol)
	}
	closing := src[f.End:]
	if at := bytes.Index(closing, []byte(f.Marker)); at >= 0 && len(marker) > len(f.Marker) {
		closing = slices.Concat(closing[:at], []byte(marker), bytes.TrimLeft(closing[at:], f.Marker[:1]))
	}
	return slices.Concat(
		src[:f.Open], []byte(marker), src[f.Open+len(f.Marker):f.Start],
		[]byte(body.String()), closing)
}

// run is the length of the run of marker bytes that a line begins with, after
// its indent.
func run(line string, marker byte) int {
	line = strings.TrimLeft(line, " ")
	return len(line) - len(strings.TrimLeft(line, string(marker)))
}
