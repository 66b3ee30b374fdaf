package main

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/text/encoding/charmap"

	"verbatim/internal/cli"
	"verbatim/internal/quote"
)

var update = flag.Bool("update", false, "write what was printed into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"quotecheck": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			// Module sources are looked up by the go command.
			for _, key := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "PATH"} {
				if v := os.Getenv(key); v != "" {
					e.Setenv(key, v)
				}
			}
			if os.Getenv("GOMODCACHE") == "" {
				home, err := os.UserHomeDir()
				if err != nil {
					return err
				}
				e.Setenv("GOMODCACHE", filepath.Join(home, "go", "pkg", "mod"))
			}
			s := httptest.NewServer(answer(filepath.Join(e.WorkDir, "www")))
			e.Defer(s.Close)
			e.Setenv("SERVER", s.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code},
	})
}

// answer serves the files of folder, except for the paths that begin with what
// to do instead: /moved/NAME, /cyrillic/NAME, /403, /429, /silent.
func answer(folder string) http.Handler {
	files := http.FileServer(http.Dir(folder))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		do, name, _ := strings.Cut(r.URL.Path[1:], "/")
		switch do {
		case "moved":
			http.Redirect(w, r, "/"+name, http.StatusMovedPermanently)
		case "cyrillic":
			page, err := os.ReadFile(filepath.Join(folder, filepath.Base(name)))
			if err == nil {
				page, err = charmap.Windows1251.NewEncoder().Bytes(page)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=windows-1251")
			_, _ = w.Write(page)
		case "silent":
			_ = os.WriteFile(filepath.Join(folder, "asked"), nil, 0o600) // the script waits for it
			<-r.Context().Done()
		case "403":
			http.Error(w, "no", http.StatusForbidden)
		case "429":
			w.Header().Set("Retry-After", "60")
			http.Error(w, "later", http.StatusTooManyRequests)
		default:
			files.ServeHTTP(w, r)
		}
	})
}

// code runs a program and compares its exit code: code 2 quotecheck -x.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code number program args…")
	}
	want := args[0]
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != want {
		ts.Fatalf("exit code %s, want %s", got, want)
	}
}

// TestManual holds that -h is the manual, without comment markers, and the
// contract.
func TestManual(t *testing.T) {
	got := cli.Manual(source) + "\n" + quote.Contract
	if !strings.HasPrefix(got, "Quotecheck proves that") || !strings.HasSuffix(got, "\n"+quote.Contract) {
		t.Errorf("the manual is\n%s", got)
	}
	if strings.Contains(got, "//\n") || strings.Contains(got, "\n//") || strings.Contains(got, "import (") {
		t.Errorf("the manual shows Go:\n%s", got)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(got) {
		if name, ok := strings.CutPrefix(line, "\t-"); ok {
			listed[strings.Fields(name)[0]] = true
		}
	}
	(&options{}).flags().VisitAll(func(f *flag.Flag) {
		if !listed[f.Name] {
			t.Errorf("the manual lacks -%s", f.Name)
		}
		delete(listed, f.Name)
	})
	for name := range listed {
		t.Errorf("the manual has -%s, which is no flag", name)
	}
}
