package page

import (
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/record"
)

// shownLine is a line of an output as a page shows it.
type shownLine struct {
	LeftOut int // lines of the run between the line before and this one
	Text    string
}

// shown returns the lines of a fence: those of the record, or without one what
// the author's file holds.
func shown(f *lesson.Fence, e Example) []shownLine {
	numbers, err := record.PickNumbers(e.Lines, e.Masks, *f)
	if !e.Ran || err != nil { // a problem elsewhere
		return showAll(record.Lines(f.Body), nil)
	}
	lines := make([]shownLine, len(numbers))
	for i, n := range numbers {
		lines[i].Text = record.Hide(e.Lines[n-1], e.Masks)
		if i > 0 {
			lines[i].LeftOut = n - numbers[i-1] - 1
		}
	}
	return lines
}

// showAll returns all lines, with what masks hide replaced.
func showAll(lines []string, masks []lesson.Mask) []shownLine {
	all := make([]shownLine, len(lines))
	for i, line := range lines {
		all[i].Text = record.Hide(line, masks)
	}
	return all
}

// codePart is code without a gap.
type codePart struct {
	LeftOut int // lines of the file between the part before and this one
	Text    string
}

// codeParts cuts the body of a fence where its lines= leaves lines of the file
// out.
func codeParts(f *lesson.Fence) []codePart {
	lines := record.Lines(f.Body)
	whole := []codePart{{Text: strings.Join(lines, "\n") + "\n"}}
	if !strings.Contains(f.Lines, ",") {
		return whole
	}
	const maxLine = 1 << 21 // of the largest file that is quoted
	numbers, err := lesson.LineNumbers(f.Lines, maxLine)
	if err != nil || len(numbers) != len(lines) {
		return whole // a problem elsewhere
	}
	var parts []codePart
	for i, n := range numbers {
		if i == 0 || n > numbers[i-1]+1 {
			parts = append(parts, codePart{})
			if i > 0 {
				parts[len(parts)-1].LeftOut = n - numbers[i-1] - 1
			}
		}
		parts[len(parts)-1].Text += lines[i] + "\n"
	}
	return parts
}
