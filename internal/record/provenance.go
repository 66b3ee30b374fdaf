package record

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"verbatim/internal/lesson"
)

// form is the required form of one text of a provenance.
type form struct {
	key     string // in record.yaml
	text    func(p Provenance) string
	pattern *regexp.Regexp
	like    string // an example
}

// forms lists the texts of a provenance with the form that each has where it is not
// empty. Pages show them, so no other text may be in them.
var forms = []form{
	{"redis", func(p Provenance) string { return p.Redis }, regexp.MustCompile(`^\d{1,3}\.\d{1,3}\.\d{1,3}$`), "7.0.15"},
	{"image", func(p Provenance) string { return p.Image },
		regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(?::\d+)?(?:/[a-z0-9._-]+)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]*)?(?:@sha256:[0-9a-f]{64})?$`), "redis:7.0.15"},
	{"go", func(p Provenance) string { return p.Go },
		regexp.MustCompile(`^(?:devel )?go1\.\d{1,3}(?:\.\d{1,3}|(?:rc|beta)\d{1,2})?(?:-[0-9a-f]{7,40})?(?:[- ]X:[a-z0-9,]+)?$`), "go1.26.0"},
	{"date", func(p Provenance) string { return p.Date }, regexp.MustCompile(`^\d{4}-\d\d-\d\d$`), "2026-11-29"},
}

// firstDate is before the first record in this format was made.
const firstDate = "2026-01-01"

// imageVersion matches the version in the tag of an image.
var imageVersion = regexp.MustCompile(`:(\d+(?:\.\d+)*)(?:[-@]|$)`)

// ImageVersion returns the version in the tag of an image, "7.0.15" of
// redis:7.0.15-alpine, or "" where the tag is no version.
func ImageVersion(image string) string {
	if m := imageVersion.FindStringSubmatch(image); m != nil {
		return m[1]
	}
	return ""
}

// Invalid returns what is wrong with the provenance of a record of e, in words for
// the author, or "". today is a date.
func (p Provenance) Invalid(e lesson.Example, today string) string {
	for _, f := range forms {
		if text := f.text(p); text != "" && !f.pattern.MatchString(text) {
			return fmt.Sprintf("%s: %q is not of the form %s", f.key, text, f.like)
		}
	}
	if wrong := p.invalidDate(today); wrong != "" {
		return wrong
	}
	switch {
	case e.Needs == "none" && (p.Redis != "" || p.Image != "" || p.Connected):
		return "it names a Redis, and its example needs none"
	case e.Needs != "none" && p.Redis == "":
		return "it does not name the Redis that its example needs"
	case e.Go && p.Go == "":
		return "it does not name the version of Go that compiled its example"
	case !e.Go && p.Go != "":
		return "it names a version of Go, and its example is no Go program"
	}
	if version := ImageVersion(p.Image); version != "" && !strings.HasPrefix(p.Redis+".", version+".") {
		return fmt.Sprintf("the image %s does not have Redis %s", p.Image, p.Redis)
	}
	return ""
}

// invalidDate returns what is wrong with the date, or "".
func (p Provenance) invalidDate(today string) string {
	date, err := time.Parse(time.DateOnly, p.Date)
	now, _ := time.Parse(time.DateOnly, today)
	switch {
	case err != nil:
		return fmt.Sprintf("the date %q is not of the form 2026-11-29", p.Date)
	case date.After(now.AddDate(0, 0, 1)):
		return fmt.Sprintf("the date %s has not come yet", p.Date)
	case p.Date < firstDate:
		return fmt.Sprintf("the date %s is before records of this format existed", p.Date)
	}
	return ""
}
