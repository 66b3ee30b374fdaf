package check

import (
	"maps"
	"net/url"
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
	file, _, _ = strings.Cut(unescape(file), "?")
	at := path.Join(path.Dir(l.File), file)
	if other := s.byFile[at]; other != nil {
		return other, true
	}
	return nil, s.copied[at]
}

func nearestFile(s *Site, l *lesson.Lesson, file string) string {
	known := slices.Clone(s.Files)
	for _, other := range s.all() {
		known = append(known, other.File)
	}
	dir := path.Dir(l.File) + "/"
	for i, k := range known {
		known[i] = strings.TrimPrefix(k, dir)
	}
	return problem.DidYouMean(file, known)
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
	if _, ok := l.Body.IDs[unescape(id)]; ok {
		return true
	}
	return id == "v-main"
}

// hasScheme tells an address on another host, or of another kind, from a path.
func hasScheme(dest string) bool {
	scheme, _, found := strings.Cut(dest, ":")
	return found && scheme != "" && !strings.ContainsAny(scheme, "/?#")
}

// unescape undoes %20 and the like; what cannot be undone stays as it is.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
