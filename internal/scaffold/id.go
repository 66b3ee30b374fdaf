package scaffold

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/load"
)

// idPattern matches the ids that New accepts: as addresses they need no escapes, and as
// file names they are the same on every file system.
var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)*$`)

// maxID is the length of the longest id. Names derived from it are longer
// ("-worksheet.pdf"), and some file systems have a limit of 143 bytes.
const maxID = 100

// reserved lists the names that a page or an example's folder cannot have.
var reserved = []struct{ pattern, why string }{
	{`^(index|404|evidence|search)$`, "is a page that every site has"},
	{`(^|/)index$`, "would be the page of its folder"},
	{`^(static|search|examples)/`, "lies in a folder of the site's own"},
	{`^course$`, "is how -pdf calls the whole course"},
	{`-worksheet$`, "is how -pdf calls a worksheet"},
	{`(^|/)(recorded|testdata|vendor)(/|$)`, "names a folder in which no example is looked for"},
	{`(^|/)(con|prn|aux|nul|com[0-9]|lpt[0-9])(/|$)`, "names a device on Windows, where nobody could check the site out"},
}

// checkID returns a usage error for an id that no new lesson can have.
func checkID(id string) error {
	if len(id) > maxID {
		return &cli.UsageError{Text: fmt.Sprintf("-new %.20s…: an id has at most %d characters, and this one has %d; choose a shorter one", id, maxID, len(id))}
	}
	if !idPattern.MatchString(id) {
		hint := ""
		if nearest := strings.Trim(notInID.ReplaceAllString(strings.ToLower(id), "-"), "-/"); idPattern.MatchString(nearest) {
			hint = "; try " + nearest
		}
		return &cli.UsageError{Text: fmt.Sprintf("-new %q: an id is lower-case letters, digits and single hyphens, with / between folders%s", id, hint)}
	}
	if below, ok := strings.CutPrefix(id, load.Content+"/"); ok {
		return &cli.UsageError{Text: fmt.Sprintf("-new %s: an id is the path below %s/: try %s", id, load.Content, below)}
	}
	for _, r := range reserved {
		if regexp.MustCompile(r.pattern).MatchString(id) {
			return &cli.UsageError{Text: fmt.Sprintf("-new %s: the name %s; choose another", id, r.why)}
		}
	}
	return nil
}

// notInID matches runs of characters that an id cannot contain.
var notInID = regexp.MustCompile(`[^a-z0-9/]+`)

// titleOf returns a title for an id: "First steps" for "a/first-steps".
func titleOf(id string) string {
	words := strings.ReplaceAll(path.Base(id), "-", " ")
	if words == "x" {
		return "Lesson X" // because other renderers show [X] at the beginning of a list item as a checked box
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
