package site

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

// item is a lesson on the home page.
func item(title, id string) string { return "[" + title + "](" + id + ".md)" }

var (
	errNoList  = errors.New("the home page has no list of lessons")
	errOddList = errors.New("the end of the home page's list cannot be told")
)

// itemStart is how an item of a list begins: what stands before its marker, the
// marker, and the spaces after it.
var itemStart = regexp.MustCompile(`^([ \t>]*)([-*+]|\d{1,9}[.)])([ \t]+)`)

// listed gives the home page with one more item after the last of its list of
// lessons, in the style of that one. All other bytes stay. An error says why
// there is no such place.
func listed(book *load.Book, title, id string) ([]byte, error) {
	if len(book.Course) == 0 {
		return nil, errNoList
	}
	lines := bytes.SplitAfter(book.Home.Source, []byte("\n"))
	first := book.Course[len(book.Course)-1].Pos.Line - 1
	for first >= 0 && !itemStart.Match(lines[first]) {
		first-- // the link stands in a later line of its item
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
	fmt.Fprintf(&out, "%s%s%s%s%s", mark[1], after(string(mark[2])), mark[3], item(title, id), eol)
	for _, line := range lines[end:] {
		out.Write(line)
	}
	return out.Bytes(), checkListed(book, out.Bytes(), id)
}

// endOfItem gives the line after an item whose text begins in that column: its
// paragraph, and what is indented below it.
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

// isLoose tells whether items are set apart by blank lines; before is the line
// before the last of them.
func isLoose(course []lesson.Entry, before []byte) bool {
	return len(course) > 1 && len(bytes.TrimSpace(before)) == 0
}

// after is the marker of the next item: 2. after 1., and else the same.
func after(marker string) string {
	n, err := strconv.Atoi(marker[:len(marker)-1])
	if err != nil {
		return marker
	}
	return strconv.Itoa(n+1) + marker[len(marker)-1:]
}

// checkListed reads the new home page: it must list what it listed, and then
// the new lesson.
func checkListed(book *load.Book, page []byte, id string) error {
	home := *book.Home
	book.Reread(&home, page)
	if before, now := items(book.Home), items(&home); now != before+id+".md\n" {
		return errOddList
	}
	return nil
}

// items lists the lessons to which the first links of a page's list items lead.
func items(l *load.Lesson) string {
	var out strings.Builder
	for _, link := range l.Body.Links {
		if link.ListItem && strings.HasSuffix(link.Dest, ".md") && !strings.Contains(link.Dest, ":") {
			out.WriteString(link.Dest + "\n")
		}
	}
	return out.String()
}
