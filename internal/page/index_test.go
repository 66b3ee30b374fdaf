package page

import "testing"

// No two tags share a list of the search page.
func TestTagIDs(t *testing.T) {
	for tag, want := range map[string]string{
		"redis":         "v-tag-redis",
		"rate limiting": "v-tag-rate-limiting",
		"限流":            "v-tag-限流",
	} {
		if got := tagID(tag); got != want {
			t.Errorf("%q: got %s, want %s", tag, got, want)
		}
	}
	seen := map[string]string{}
	for _, tag := range []string{"Go", "go", "C++", "C--", "c  ", "rate limiting", "rate-limiting", "Rate limiting", "a/b", "a b"} {
		if first, twice := seen[tagID(tag)]; twice {
			t.Errorf("%q and %q are both %s", first, tag, tagID(tag))
		}
		seen[tagID(tag)] = tag
	}
}
