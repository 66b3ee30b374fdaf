package check

import (
	"path"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// links checks that every link inside the site leads to a file and, with a fragment,
// to an id on it.
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
			ps.AddHint(link.Pos, "link", s.idsOf(target).DidYouMean(fragment), "%s has no heading or id %q", target.File, fragment)
		}
	}
}

// resolve returns the lesson that file leads to from l; nil and true for a file
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

// nearestFile is the hint that names the file which an author may have meant, as
// l would write it.
func nearestFile(s *Site, l *lesson.Lesson, file string) string {
	dir := path.Dir(l.File)
	near := s.files().Nearest(path.Join(dir, file), len(file))
	if near == "" {
		return ""
	}
	from := strings.Split(dir, "/")
	to := strings.Split(near, "/")
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return problem.Hint(file, strings.Repeat("../", len(from))+strings.Join(to, "/"))
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

// hasID reports whether a page has an id, of the author's or of the theme's.
func hasID(l *lesson.Lesson, id string) bool {
	if _, ok := l.Body.IDs[lesson.Unescape(id)]; ok {
		return true
	}
	return id == "v-main"
}

// hasScheme reports whether a destination is a URL instead of a path.
func hasScheme(dest string) bool {
	scheme, _, found := strings.Cut(dest, ":")
	return found && scheme != "" && !strings.ContainsAny(scheme, "/?#")
}
