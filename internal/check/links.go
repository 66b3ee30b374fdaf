package check

import (
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// links: every link inside the site leads to a file and, if it says so, to an
// id on it.
func links(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, link := range l.Body.Links {
		if link.Image {
			image(s, l, link, ps)
			continue
		}
		if link.Dest == "" || strings.HasPrefix(link.Dest, "//") || hasScheme(link.Dest) {
			continue
		}
		file, fragment, _ := strings.Cut(link.Dest, "#")
		target, ok := resolve(s, l, file)
		switch {
		case strings.HasPrefix(file, "/"):
			ps.AddHint(link.Pos, "link", "write it relative to this file, so that the site works from any folder",
				"link %q begins with a slash", link.Dest)
		case !ok:
			ps.AddHint(link.Pos, "link", nearestFile(s, l, file), "link to %q, which is not there", file)
		case target != nil && target.Meta.Draft && !l.Meta.Draft:
			ps.AddHint(link.Pos, "link", "take \"draft: true\" out of it, or the link out of here", "link to %q, which is a draft", file)
		case fragment != "" && target != nil && !hasID(target, fragment):
			ids := slices.Sorted(maps.Keys(target.Body.IDs))
			ps.AddHint(link.Pos, "link", problem.DidYouMean(fragment, ids), "%s has no heading or id %q", target.File, fragment)
		}
	}
}

// resolve gives the lesson that file leads to from l; nil and true for a file
// that is copied.
func resolve(s *Site, l *lesson.Lesson, file string) (*lesson.Lesson, bool) {
	if file == "" {
		return l, true
	}
	file, _, _ = strings.Cut(lesson.Unescape(file), "?")
	at := path.Join(path.Dir(l.File), file)
	if other := s.byFile[at]; other != nil {
		return other, true
	}
	return nil, s.copied[at]
}

// maxCompared is with how many names a broken link is compared: a site may have
// as many broken links as files.
const maxCompared = 50

// nearestFile is the hint that names the file which an author may have meant.
func nearestFile(s *Site, l *lesson.Lesson, file string) string {
	return problem.DidYouMean(file, alike(s, l, file))
}

// alike gives the names of files, as l would write them, that may be near to
// file. Of too many it keeps those that begin and end most
// like it.
func alike(s *Site, l *lesson.Lesson, file string) (names []string) {
	dir := path.Dir(l.File) + "/"
	for _, name := range s.known {
		name = strings.TrimPrefix(name, dir)
		if mayBeNear(file, name) {
			names = append(names, name)
		}
	}
	if len(names) <= maxCompared {
		return names
	}
	slices.SortStableFunc(names, func(a, b string) int { return commonEnds(b, file) - commonEnds(a, file) })
	return names[:maxCompared]
}

// commonEnds counts the bytes with which both begin, and those with which both
// end.
func commonEnds(a, b string) (n int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		n++
	}
	for i := 1; i <= min(len(a), len(b)) && a[len(a)-i] == b[len(b)-i]; i++ {
		n++
	}
	return n
}

// mayBeNear tells quickly that two names are more than three edits apart, which
// is what problem.DidYouMean never suggests: an edit changes the length by one,
// and the letters that only one of them has by one.
func mayBeNear(a, b string) bool {
	const most = 3
	lettersA, lengthA := letters(a)
	lettersB, lengthB := letters(b)
	return max(lengthA-lengthB, lengthB-lengthA) <= most &&
		bits.OnesCount64(lettersA&^lettersB) <= most && bits.OnesCount64(lettersB&^lettersA) <= most ||
		problem.SameLook(a, b)
}

// letters gives the set of a name's characters, each by its last six bits, and
// how many there are.
func letters(name string) (set uint64, n int) {
	for _, r := range name {
		set |= 1 << (uint32(r) % 64)
		n++
	}
	return set, n
}

// image: a picture is here.
func image(s *Site, l *lesson.Lesson, link lesson.Link, ps *problem.List) {
	if strings.HasPrefix(link.Dest, "//") || hasScheme(link.Dest) {
		ps.AddHint(link.Pos, "image", "save it below content/ and link to that file", "image %q lies on another host", link.Dest)
		return
	}
	if target, ok := resolve(s, l, link.Dest); !ok || target != nil {
		ps.AddHint(link.Pos, "image", nearestFile(s, l, link.Dest), "no image %q", link.Dest)
	}
}

// hasID knows the author's ids and those of the theme.
func hasID(l *lesson.Lesson, id string) bool {
	if _, ok := l.Body.IDs[lesson.Unescape(id)]; ok {
		return true
	}
	return id == "v-main"
}

// hasScheme tells an address on another host, or of another kind, from a path.
func hasScheme(dest string) bool {
	scheme, _, found := strings.Cut(dest, ":")
	return found && scheme != "" && !strings.ContainsAny(scheme, "/?#")
}
