package quote

import (
	"strings"
	"testing"
)

// TestSealedNegation: a sealed quotation that comes directly after a negation has the
// reservation for it, also if someone took it out and computed the sum anew.
func TestSealedNegation(t *testing.T) {
	for before, negated := range map[string]bool{
		"We know that Redis never ": true, "it does not ": true, "It is NOT ": true, "doesn’t ": true, "cannot ": true,
		"it is not (": true, "not “": true, "without ": true, "never — ": true, "nicht ": true, "ne ": true,
		"not, ": false, "not. ": false, "": false, "We know that ": false, "not only ": false, "nothing: ": false, "knot ": false,
	} {
		s := sealed{Words: strings.Repeat("a", 64), Fold: Exact, Occurrences: 1, Before: before}
		if fault := s.fault(10); (fault != "") != negated {
			t.Errorf("before %q: fault %q", before, fault)
		}
		s.Reservations = []Reservation{Negated}
		if fault := s.fault(10); fault != "" {
			t.Errorf("before %q, with the reservation: fault %q", before, fault)
		}
	}
}
