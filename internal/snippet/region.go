package snippet

import (
	"regexp"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// marker is a line that begins or ends a region: a comment, of whatever
// language, that holds nothing but [name] or [/name].
var marker = regexp.MustCompile(`^\s*(?://+|#+|--|;+|%+|/\*|<!--|\(\*)\s*\[(/?)([\pL_][\pL\pN_-]*)\]\s*(?:\*/|-->|\*\))?\s*$`)

// span is a region: the lines between its markers, as indices.
type span struct {
	name       string
	start, end int
}

// regions finds the regions of a file. One that is never closed, is in
// another, or has the name of another is a problem in the file.
func regions(file string, lines []string) (spans []span, ps problem.List) {
	var open *span
	seen, refused := map[string]int{}, map[string]bool{}
	for i, line := range lines {
		m := marker.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, name, closes := place(file, i+1), m[2], m[1] != ""
		switch {
		case !closes && open != nil:
			ps.AddHint(at, "region", "regions stand one after another", "the region %q begins inside %q", name, open.name)
			refused[name] = name != open.name
		case !closes && seen[name] > 0:
			ps.Add(at, "region", "a second region %q: the first is on line %d", name, seen[name])
			refused[name] = true
		case !closes:
			open = &span{name: name, start: i + 1}
			seen[name] = i + 1
		case refused[name]: // as its beginning was
			refused[name] = false
		case open == nil || open.name != name:
			ps.Add(at, "region", "this ends no region that is open")
		default:
			open.end = i
			spans = append(spans, *open)
			open = nil
		}
	}
	if open != nil {
		ps.AddHint(place(file, open.start), "region", "end it with [/"+open.name+"] in a comment of its own", "the region %q is never closed", open.name)
	}
	return spans, ps
}

// region returns the lines of one region.
func region(file string, lines []string, f lesson.Fence) ([]string, problem.List) {
	spans, ps := regions(file, lines)
	if len(ps) > 0 {
		return nil, ps
	}
	var names []string
	for _, s := range spans {
		if s.name == f.Region {
			return lines[s.start:s.end], nil
		}
		names = append(names, s.name)
	}
	ps.AddHint(f.Pos, "from", near(f.Region, names), "no region %q in %s", f.Region, file)
	return nil, ps
}

// unmarked drops the lines that mark regions. Where markers do not pair they
// are something else, and stay.
func unmarked(file string, lines []string) (rest []string) {
	if _, ps := regions(file, lines); len(ps) > 0 {
		return lines
	}
	for _, line := range lines {
		if !marker.MatchString(line) {
			rest = append(rest, line)
		}
	}
	return rest
}
