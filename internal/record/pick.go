package record

import (
	"fmt"
	"regexp"
	"slices"

	"verbatim/internal/lesson"
)

// Pick returns the lines that a fence shows: those its lines= names, and of these
// those its match= matches. An error is about the fence, in words for its
// author; it is an error if nothing matches.
func Pick(lines []string, masks []lesson.Mask, f lesson.Fence) ([]string, error) {
	numbers, err := PickNumbers(lines, masks, f)
	if err != nil {
		return nil, err
	}
	var picked []string
	for _, n := range numbers {
		picked = append(picked, lines[n-1])
	}
	return picked, nil
}

// PickNumbers returns the numbers of the lines that Pick returns, ascending from
// 1. match= is compared with a line as a page shows it, so that it cannot pick by text
// that a mask hides.
func PickNumbers(lines []string, masks []lesson.Mask, f lesson.Fence) (numbers []int, err error) {
	if f.Lines != "" {
		if numbers, err = lesson.LineNumbers(f.Lines, len(lines)); err != nil {
			return nil, err
		}
	} else {
		for i := range lines {
			numbers = append(numbers, i+1)
		}
	}
	if f.Match == "" {
		return numbers, nil
	}
	re, err := regexp.Compile(f.Match)
	if err != nil {
		return nil, fmt.Errorf("match=%q is not a regular expression", f.Match)
	}
	var matching []int
	hide := newHider(masks)
	for _, n := range numbers {
		if re.MatchString(hide.line(lines[n-1])) {
			matching = append(matching, n)
		}
	}
	if matching == nil && slices.ContainsFunc(numbers, func(n int) bool { return re.MatchString(lines[n-1]) }) {
		return nil, fmt.Errorf("match=%q matches only text that a mask hides", f.Match)
	}
	if matching == nil {
		return nil, fmt.Errorf("match=%q matches none of %d lines", f.Match, len(numbers))
	}
	return matching, nil
}
