package markdown_test

import (
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// TestOptionsTrueCause: a list that is meant as options and is not read as such
// is a problem that says why, whatever proves the answer; a list that belongs to
// an open question is none.
func TestOptionsTrueCause(t *testing.T) {
	for list, answer := range map[string]string{
		"1. a\n2. b\n3. c": "**1.** because", "1) a\n2) b": "**2** so", "- A) a\n- B) b": "**A)** x", "- (A) a\n- (B) b": "x",
		"- a. x\n- b. y": "**a.** x", "- a) x\n- b) y": "x", "- [x] a\n- [ ] b": "x", "- [ ] a\n- [ ] b": "**B.** x",
		"- a\n- b": "**B.** so", "* A: x\n* B: y": "x", "- A - x\n- B - y": "x", "- A – x\n- B – y": "**A** x", "1. A. x\n2. B. y": "**A.** x",
	} {
		for _, proof := range []string{`unverified="x"`, `check="a#b"`} {
			_, problems := markdown.Parse("in.md", []byte(question(proof, list, answer)), 0)
			found := 0
			for _, p := range problems {
				if strings.HasPrefix(p.Text, "these are not read as options") && strings.HasPrefix(p.Hint, "write - A.") {
					found++
				}
			}
			if read := strings.HasPrefix(list, "1. A. "); found != 1 && !read {
				t.Errorf("%q, %q: problems %v", list, answer, problems)
			}
		}
	}
	for list, answer := range map[string]string{
		"- a limit of 5\n- a window of 60 s": "12 of them", "1. SET k 1\n2. GET k": "It prints 1.", "- `GET k`\n- `SET k`": "**Both** do",
		"- A limit is full\n- A key is there": "Neither", "- one": "**A.** x",
	} {
		_, problems := markdown.Parse("in.md", []byte(question(`unverified="x"`, list, answer)), 0)
		if wrong, _ := problems.Count(); wrong > 0 {
			t.Errorf("%q, %q: problems %v", list, answer, problems)
		}
	}
}

func question(proof, list, answer string) string {
	return "::: question {#q " + proof + "}\nWhich?\n\n" + list + "\n\n<details><summary>Answer</summary>\n\n" + answer + "\n\n</details>\n:::\n"
}
