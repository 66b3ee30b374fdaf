package markdown

import "bytes"

// maxDepth is how deep containers, quotes and lists may nest together. The
// parser and every reader of a page give up long before.
const maxDepth = 100

// tooDeep gives the offset of the first line on which more than maxDepth
// blocks are open, or -1. It looks at each line once and only estimates: a
// list that ended is forgotten when a later marker stands further left.
func tooDeep(src []byte) int {
	var lists []int // columns at which the items' text begins
	var fence []byte
	containers, at := 0, 0
	for line := range bytes.Lines(src) {
		start := at
		at += len(line)
		text, quotes, marks := openers(line, &lists, fence == nil)
		switch mark := fenceMark(text); {
		case fence != nil:
			if bytes.HasPrefix(mark, fence) {
				fence = nil
			}
			continue
		case mark != nil:
			fence = mark
		}
		switch colons := leading(text, ':'); {
		case colons < 3:
		case len(bytes.TrimSpace(text[colons:])) > 0:
			containers++
		default:
			containers = max(0, containers-1)
		}
		if containers+quotes+max(marks, len(lists)) > maxDepth {
			return start
		}
	}
	return -1
}

// openers strips the quote and list markers from a line, keeps the columns of
// open lists, and counts both.
func openers(line []byte, lists *[]int, literal bool) (text []byte, quotes, marks int) {
	if isBreak(line) {
		return nil, 0, 0
	}
	i := 0
	for i < len(line) {
		switch n := marker(line[i:]); {
		case line[i] == ' ' || line[i] == '\t':
			i++
		case line[i] == '>':
			quotes++
			i++
		case n > 0:
			for len(*lists) > 0 && (*lists)[len(*lists)-1] > i {
				*lists = (*lists)[:len(*lists)-1]
			}
			i += n
			if literal {
				*lists = append(*lists, i)
				marks++
			}
		default:
			return line[i:], quotes, marks
		}
	}
	return nil, quotes, marks
}

// isBreak tells whether the line is a thematic break, which looks like many
// lists.
func isBreak(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 2 && bytes.IndexByte([]byte("-*_"), line[0]) >= 0 &&
		len(bytes.Trim(line, string(line[0])+" \t")) == 0
}

// marker gives the length of a list marker and the space after it at the start
// of s, or 0.
func marker(s []byte) int {
	n := 0
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n > 0 && n < len(s) && (s[n] == '.' || s[n] == ')'):
	case n == 0 && (s[0] == '-' || s[0] == '*' || s[0] == '+'):
	default:
		return 0
	}
	if n++; n < len(s) && (s[n] == ' ' || s[n] == '\t') {
		return n + 1
	}
	return 0
}

// fenceMark gives the run of back-ticks or tildes that begins text, if it is
// long enough for a fence.
func fenceMark(text []byte) []byte {
	for _, c := range []byte("`~") {
		if n := leading(text, c); n >= 3 {
			return text[:n]
		}
	}
	return nil
}

// leading counts the bytes c that begin s.
func leading(s []byte, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
