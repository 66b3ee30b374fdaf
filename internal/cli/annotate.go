package cli

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"

	"verbatim/internal/problem"
)

// onActions reports whether the process runs in GitHub Actions.
func onActions() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// Problems prints the list. A hint may quote an example's output. In GitHub
// Actions, Problems therefore disables workflow commands while it prints, so that
// a line such as "::error::" in a hint is only text.
func (p *Printer) Problems(ps problem.List) {
	p.Print(func(w io.Writer) {
		if !onActions() || len(ps) == 0 {
			ps.Print(w)
			return
		}
		token := rand.Text()
		fmt.Fprintf(w, "::stop-commands::%s\n", token)
		ps.Print(w)
		fmt.Fprintf(w, "::%s::\n", token)
	})
}

// Annotate prints the problems as annotations of GitHub Actions, which shows each
// beside its line of code. Outside GitHub Actions it prints nothing.
func (p *Printer) Annotate(ps problem.List) {
	if !onActions() {
		return
	}
	p.Print(func(w io.Writer) {
		for i := range ps {
			fmt.Fprintln(w, annotation(ps[i]))
		}
	})
}

// Workflow commands of GitHub Actions reserve these characters: escapeMessage
// escapes those of a message, escapeProperty those of a property.
var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotation returns the workflow command that annotates the line of p.
func annotation(p problem.Problem) string {
	level := "error"
	if p.Warning {
		level = "warning"
	}
	position := "file=" + escapeProperty.Replace(p.File)
	if p.Line > 0 {
		position += fmt.Sprintf(",line=%d", p.Line)
	}
	if p.Col > 0 {
		position += fmt.Sprintf(",col=%d", p.Col)
	}
	text := p.Text + " [" + p.Check + "]"
	if p.Hint != "" {
		text += "\n" + p.Hint
	}
	return fmt.Sprintf("::%s %s::%s", level, position, escapeMessage.Replace(text))
}
