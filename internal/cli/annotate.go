package cli

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"

	"verbatim/internal/problem"
)

// onActions tells that GitHub Actions reads what is printed.
func onActions() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// Problems prints the list. A hint may hold what an example printed, so on
// GitHub Actions commands are off meanwhile: "::error::" in it is only text.
func (v *Voice) Problems(ps problem.List) {
	v.Print(func(w io.Writer) {
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

// Annotate repeats the problems as annotations of GitHub Actions, where those
// run: the code host then shows each beside its line. Elsewhere it prints
// nothing.
func (v *Voice) Annotate(ps problem.List) {
	if !onActions() {
		return
	}
	v.Print(func(w io.Writer) {
		for _, p := range ps {
			fmt.Fprintln(w, annotation(p))
		}
	})
}

// The characters that GitHub's workflow commands give a meaning, in a message
// and in a property.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotation(p problem.Problem) string {
	level := "error"
	if p.Warning {
		level = "warning"
	}
	place := "file=" + property.Replace(p.File)
	if p.Line > 0 {
		place += fmt.Sprintf(",line=%d", p.Line)
	}
	if p.Col > 0 {
		place += fmt.Sprintf(",col=%d", p.Col)
	}
	text := p.Text + " [" + p.Check + "]"
	if p.Hint != "" {
		text += "\n" + p.Hint
	}
	return fmt.Sprintf("::%s %s::%s", level, place, message.Replace(text))
}
