package record

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"verbatim/internal/lesson"
)

// Pick gives the lines that a fence shows: those its lines= names, and of these
// those its match= matches. An error says what is wrong with the fence, in
// words for its author; that nothing matches is one.
func Pick(lines []string, f lesson.Fence) ([]string, error) {
	picked, err := numbered(lines, f.Lines)
	if err != nil || f.Match == "" {
		return picked, err
	}
	re, err := regexp.Compile(f.Match)
	if err != nil {
		return nil, fmt.Errorf("match=%q is not a regular expression", f.Match)
	}
	var matching []string
	for _, line := range picked {
		if re.MatchString(line) {
			matching = append(matching, line)
		}
	}
	if matching == nil {
		return nil, fmt.Errorf("match=%q matches none of %d lines", f.Match, len(picked))
	}
	return matching, nil
}

// numbered gives the lines that spec names: "" all of them, else numbers and
// ranges from 1, such as "1-2,5".
func numbered(lines []string, spec string) ([]string, error) {
	if spec == "" {
		return lines, nil
	}
	var picked []string
	for _, part := range strings.Split(spec, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < 1 || to < from {
			return nil, fmt.Errorf("lines=%q is not of the form 1, 1-3 or 1-3,5", spec)
		}
		if to > len(lines) {
			return nil, fmt.Errorf("lines=%q, but there are %d lines", spec, len(lines))
		}
		picked = append(picked, lines[from-1:to]...)
	}
	return picked, nil
}
