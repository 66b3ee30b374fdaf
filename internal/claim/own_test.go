package claim

import (
	"strings"
	"testing"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// TestSealedCopies: whatever the source and the notes, only a copy that is committed
// has a full mark or "word for word"; a seal has neither.
func TestSealedCopies(t *testing.T) {
	pos := problem.Pos{File: "content/a.md", Line: 3}
	for _, state := range []string{"verified", "attested", "stale", "drifted", "unverified", ""} {
		for _, own := range []bool{false, true} {
			for _, notes := range [][]string{nil, {"the page hides this text"}} {
				for _, s := range []lesson.Source{{}, {Saved: "2026-11-30", Ours: own}, {Module: "m", Path: "f.go"}} {
					f := &Facts{
						Quotations: map[problem.Pos]Quotation{pos: {State: state, Own: own, Notes: notes}},
						Sources:    map[string]lesson.Source{"s": s},
					}
					c := decide(nil, lesson.Evidence{Pos: pos, Kind: lesson.EvidenceQuotation, Source: "s"}, f, nil)
					words := strings.Contains(strings.Join(c.Details, "; "), "word for word")
					if (c.Mark == "full" || words) && (state != "verified" || notes != nil) {
						t.Errorf("%s, own %t, notes %q, source %+v: mark %s, %q", state, own, notes, s, c.Mark, c.Details)
					}
					if state == "attested" && !strings.Contains(strings.Join(c.Details, "; "), "a seal vouches") {
						t.Errorf("own %t, notes %q: %q names no seal", own, notes, c.Details)
					}
				}
			}
		}
	}
}
