package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
)

// item returns the list item of a lesson on the home page.
func item(title, id string) string { return "[" + title + "](" + id + ".md)" }

var (
	errNoList  = errors.New("the home page has no list of lessons")
	errOddList = errors.New("the end of the home page's list cannot be told")
)

// itemStart matches the beginning of a list item: its indentation, its marker, and the
// spaces after it.
var itemStart = regexp.MustCompile(`^([ \t>]*)([-*+]|\d{1,9}[.)])([ \t]+)`)

// addItem returns the home page with one more item after the last one of its list of
// lessons, formatted like that one. All other bytes stay as they are. It returns an
// error if the list or its end cannot be found.
func addItem(book *load.Book, title, id string) ([]byte, error) {
	if len(book.Course) == 0 {
		return nil, errNoList
	}
	lines := bytes.SplitAfter(book.Home.Source, []byte("\n"))
	first := book.Course[len(book.Course)-1].Pos.Line - 1
	for first >= 0 && !itemStart.Match(lines[first]) {
		first-- // because the link is in a later line of its item
	}
	if first < 0 {
		return nil, errOddList
	}
	mark := itemStart.FindSubmatch(lines[first])
	end := endOfItem(lines, first, len(mark[0]))
	eol := []byte("\n")
	if bytes.HasSuffix(lines[first], []byte("\r\n")) {
		eol = []byte("\r\n")
	}
	var out bytes.Buffer
	for _, line := range lines[:end] {
		out.Write(line)
	}
	if !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
		out.Write(eol)
	}
	if first > 0 && isLoose(book.Course, lines[first-1]) {
		out.Write(eol)
	}
	fmt.Fprintf(&out, "%s%s%s%s%s", mark[1], nextMarker(string(mark[2])), mark[3], item(title, id), eol)
	for _, line := range lines[end:] {
		out.Write(line)
	}
	return out.Bytes(), checkItem(book, out.Bytes(), id)
}

// endOfItem returns the index of the line after an item, whose text begins in column:
// the item is its paragraph and what is indented below it.
func endOfItem(lines [][]byte, first, column int) int {
	end := first + 1
	for at, blank := end, false; at < len(lines); at++ {
		line := lines[at]
		text := bytes.TrimLeft(line, " \t>")
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			blank = true
			continue
		case len(line)-len(text) >= column: // indented below the item
		case blank, itemStart.Match(line), bytes.ContainsAny(text[:1], "#:`~"):
			return end
		}
		end, blank = at+1, false
	}
	return end
}

// isLoose reports whether blank lines separate the items; before is the line before the
// last item.
func isLoose(course []lesson.Entry, before []byte) bool {
	return len(course) > 1 && len(bytes.TrimSpace(before)) == 0
}

// nextMarker returns the marker of the next item: "2." after "1.", and else the same.
func nextMarker(marker string) string {
	n, err := strconv.Atoi(marker[:len(marker)-1])
	if err != nil {
		return marker
	}
	return strconv.Itoa(n+1) + marker[len(marker)-1:]
}

// checkItem parses the new home page and returns an error unless it lists what it listed
// before, followed by the new lesson.
func checkItem(book *load.Book, page []byte, id string) error {
	home := *book.Home
	book.Reread(&home, page)
	if before, now := items(book.Home), items(&home); now != before+id+".md\n" {
		return errOddList
	}
	return nil
}

// items returns the lessons to which the first links of a page's list items lead.
func items(l *load.Lesson) string {
	var out strings.Builder
	for _, link := range l.Body.Links {
		if link.ListItem && strings.HasSuffix(link.Dest, ".md") && !strings.Contains(link.Dest, ":") {
			out.WriteString(link.Dest + "\n")
		}
	}
	return out.String()
}
