package browsertest

import (
	"os"
	"testing"
)

// TestAxe checks every page in both colour schemes with axe-core. VERBATIM_AXE is
// the path of axe.min.js, which is not part of the repository.
func TestAxe(t *testing.T) {
	path := os.Getenv("VERBATIM_AXE")
	if path == "" && !isRequired("axe") {
		t.Skip("needs axe-core: set VERBATIM_AXE to the path of axe.min.js")
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read axe-core: %v", err)
	}
	forEachSite(t, func(b *tab, s site) {
		for _, page := range s.allPages(b.T) {
			for _, scheme := range []string{"light", "dark"} {
				b.setMedia("screen", scheme)
				b.loadFresh(page)
				if page == s.page {
					eval[string](b, answerAll)
				}
				eval[bool](b, string(source)+"\n;true")
				found := eval[[]string](b, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}).then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(" ")))`)
				if len(found) > 0 {
					b.Errorf("%s, %s: %q", page, scheme, found)
				}
			}
		}
	})
}
