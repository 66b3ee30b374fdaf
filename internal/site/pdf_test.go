package site

import (
	"strings"
	"testing"

	"verbatim/internal/cli"
)

// TestNoBrowser: without a Chromium -pdf stops before anything is done, and
// says what to install.
func TestNoBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), Config{Root: t.TempDir(), PDF: t.TempDir()})
	if err == nil || cli.Code(err) != cli.Unable || !strings.Contains(err.Error(), "install") {
		t.Errorf("the error is %v, its exit code %d", err, cli.Code(err))
	}
}
