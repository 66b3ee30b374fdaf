package claims

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// line is a line of a list, with its number.
type line struct {
	n    int
	text string
}

// claim is a claim of a lesson and the lines that show it.
type claim struct {
	line
	section string // lesson#id
	shown   []line
}

// readClaims returns the list's claims and the sections that have none.
func readClaims(t *testing.T) (claims []claim, without map[string]bool) {
	t.Helper()
	without = map[string]bool{}
	section := ""
	for _, l := range readLines(t, "testdata/claims.txt") {
		kind, text, _ := strings.Cut(l.text, " ")
		switch {
		case kind == "=":
			section = text
		case section == "":
			t.Fatalf("line %d: no section", l.n)
		case kind == "none":
			without[section] = true
		case kind == "-":
			claims = append(claims, claim{line{l.n, text}, section, nil})
		case len(claims) == 0 || claims[len(claims)-1].section != section:
			t.Fatalf("line %d shows no claim", l.n)
		default:
			last := &claims[len(claims)-1]
			last.shown = append(last.shown, l)
		}
	}
	return claims, without
}

// readLines returns the lines of a list without comments and empty lines.
func readLines(t *testing.T, file string) []line {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	for i, text := range strings.Split(string(data), "\n") {
		if text != "" && !strings.HasPrefix(text, "#") {
			lines = append(lines, line{i + 1, text})
		}
	}
	return lines
}

// The list is whole: each section, step, example, question, exercise and tip of
// both lessons has a claim or says why it has none, and no other place has.
func TestEverySectionIsListed(t *testing.T) {
	claims, without := readClaims(t)
	listed := map[string]bool{}
	for _, c := range claims {
		listed[c.section] = true
		if len(c.shown) == 0 {
			t.Errorf("line %d: nothing shows %q", c.n, c.text)
		}
	}
	for section := range without {
		if listed[section] {
			t.Errorf("%s has claims and none", section)
		}
		listed[section] = true
	}
	for _, lesson := range lessons {
		for _, id := range places(t, lesson) {
			if !listed[lesson+"#"+id] {
				t.Errorf("%s#%s is not in the list", lesson, id)
			}
			delete(listed, lesson+"#"+id)
		}
	}
	for section := range listed {
		t.Errorf("%s is in the list and in no lesson", section)
	}
}

// Each claim is shown by what its row names.
func TestClaims(t *testing.T) {
	claims, _ := readClaims(t)
	plain, _ := open(t)
	cluster := sync.OnceValue(func() *conn { return openCluster(t) })
	for _, c := range claims {
		t.Run(fmt.Sprint("line ", c.n), func(t *testing.T) {
			on := plain
			if slices.ContainsFunc(c.shown, func(l line) bool { return l.text == "on cluster" }) {
				on = cluster()
			}
			for _, reset := range [][]string{{"CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction"}, {"FLUSHALL"}, {"SCRIPT", "FLUSH"}} {
				if reply := on.ask(t, reset...); reply != "OK" {
					t.Fatal(reply)
				}
			}
			replies := []string{} // lines of the last reply that the row has not named
			for _, l := range c.shown {
				kind, rest, _ := strings.Cut(l.text, " ")
				if kind != "<" && kind != "<~" && len(replies) > 0 {
					t.Fatalf("line %d: the reply went on with %q", l.n, replies)
				}
				switch kind {
				case ">":
					replies = strings.Split(on.ask(t, words(t, rest)...), "\n")
				case "<":
					if len(replies) == 0 || replies[0] != rest {
						t.Fatalf("line %d: replied %q, want %q (%s)", l.n, replies, rest, c.text)
					}
					replies = replies[1:]
				case "<~":
					if all := strings.Join(replies, "\n"); !regexp.MustCompile("^(?:" + rest + ")$").MatchString(all) {
						t.Fatalf("line %d: replied %q, want %s (%s)", l.n, all, rest, c.text)
					}
					replies = nil
				case "gone":
					waitUntilGone(t, on, rest)
				default:
					if err := shown(c.section, kind, rest); err != nil {
						t.Errorf("line %d: %v", l.n, err)
					}
				}
			}
			if len(replies) > 0 {
				t.Fatalf("the last reply went on with %q", replies)
			}
		})
	}
}

// waitUntilGone returns when Redis itself has deleted a key.
func waitUntilGone(t *testing.T, c *conn, key string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); c.ask(t, "EXISTS", key) != "(integer) 0"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s still exists", key)
		}
	}
}

// words splits a command as redis-cli does, as far as the list needs it.
func words(t *testing.T, command string) []string {
	t.Helper()
	var args []string
	for _, word := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s"]+`).FindAllString(command, -1) {
		if strings.HasPrefix(word, `"`) {
			var err error
			if word, err = strconv.Unquote(word); err != nil {
				t.Fatal(err)
			}
		}
		args = append(args, word)
	}
	return args
}

// shown checks what is no command: a recorded run, a value, a test, a source.
func shown(section, kind, rest string) error {
	id, text, found := strings.Cut(rest, ": ")
	switch {
	case kind == "because" || kind == "on" && rest == "cluster":
		return nil
	case kind == "test":
		folder, name, _ := strings.Cut(rest, " ")
		return inFiles("../"+folder, "_test.go", "func "+name+"(t *testing.T)")
	case !found:
		return fmt.Errorf("%s %s: want %s ID: text", kind, rest, kind)
	case kind == "run":
		return inFiles("../"+id+"/recorded", "output.txt", text)
	case kind == "value":
		return inFiles("../"+id+"/recorded", "values.txt", text+"=")
	case kind == "source":
		return quoted(section, id, text)
	}
	return fmt.Errorf("%q is no way to show a claim", kind)
}

// inFiles returns an error unless a file of the folder whose name ends in suffix
// holds text.
func inFiles(folder, suffix, text string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), suffix) {
			data, err := os.ReadFile(folder + "/" + entry.Name())
			if err != nil {
				return err
			}
			if strings.Contains(string(data), text) {
				return nil
			}
		}
	}
	return fmt.Errorf("%s: no %s holds %q", folder, suffix, text)
}

// quoted returns an error unless the section's lesson quotes text from a source.
func quoted(section, source, text string) error {
	lesson, _, _ := strings.Cut(section, "#")
	data, err := os.ReadFile("../../content/" + lesson + ".md")
	if err != nil {
		return err
	}
	_, after, found := strings.Cut(string(data), "::: source {#"+source+" ")
	quotation, _, _ := strings.Cut(after, "\n:::\n")
	if !found || !strings.Contains(quotation, text) {
		return fmt.Errorf("%s does not quote %q from %s", lesson, text, source)
	}
	return nil
}
