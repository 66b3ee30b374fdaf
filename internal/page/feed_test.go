package page_test

import (
	"encoding/xml"
	"fmt"
	"path"
	"strings"
	"testing"

	"verbatim/internal/lesson"
)

// TestWithoutAddress: a site that does not know where it lies says nothing of
// it.
func TestWithoutAddress(t *testing.T) {
	in := course(t)
	in.Home.Meta.BaseURL = ""
	for name, data := range render(t, in) {
		switch {
		case path.Ext(name) == ".xml", name == "robots.txt":
			t.Errorf("%s is written without base_url", name)
		case strings.Contains(string(data), `rel="canonical"`), strings.Contains(string(data), "og:url"):
			t.Errorf("%s has an address", name)
		}
	}
}

func TestFeedsAreXML(t *testing.T) {
	pages := render(t, course(t))
	for _, name := range []string{"feed.xml", "sitemap.xml"} {
		var any struct{ XMLName xml.Name }
		if err := xml.Unmarshal(pages[name], &any); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMenu: a lesson lists its module, and of a long one the nearest part.
func TestMenu(t *testing.T) {
	sources := map[string]string{"index": "# Course\n"}
	for i := range 80 {
		sources[fmt.Sprintf("l%02d", i)] = fmt.Sprintf("# Lesson %d\n", i)
	}
	in := site(t, sources)
	for i := range in.Lessons {
		if in.Lessons[i].ID == "index" {
			home := in.Lessons[i]
			in.Home, in.Lessons = &home, append(in.Lessons[:i], in.Lessons[i+1:]...)
			break
		}
	}
	in.Course = []lesson.Entry{{Title: "One"}}
	for i := range 80 {
		if i == 5 {
			in.Course = append(in.Course, lesson.Entry{Title: "Two"})
		}
		in.Course = append(in.Course, lesson.Entry{Lesson: fmt.Sprintf("l%02d", i), Title: fmt.Sprintf("L%d", i)})
	}
	pages := render(t, in)
	for name, want := range map[string]struct {
		says  string
		links int
	}{
		"l02.html": {`<span>Lesson 3 of 80</span> <span class="soft">One</span>`, 5},
		"l40.html": {`<span>Lesson 41 of 80</span> <span class="soft">Two</span>`, 30},
		"l79.html": {`<span>Lesson 80 of 80</span> <span class="soft">Two</span>`, 30},
	} {
		html := string(pages[name])
		_, nav, _ := strings.Cut(html, `<nav class="where`)
		nav, _, _ = strings.Cut(nav, "</nav>")
		if !strings.Contains(nav, want.says) || strings.Count(nav, "<li>") != want.links || !strings.Contains(nav, `"`+name+`" aria-current="page"`) {
			t.Errorf("%s: the menu is %s", name, nav)
		}
	}
}
