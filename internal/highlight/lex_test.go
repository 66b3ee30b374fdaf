package highlight

import (
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/lexers"
)

// byChroma colours code with chroma alone.
func byChroma(t testing.TB, language, code string) template.HTML {
	t.Helper()
	iterator, err := lexers.Get(language).Tokenise(nil, code)
	if err != nil {
		t.Fatal(err)
	}
	p := painter{code: code}
	for _, token := range iterator.Tokens() {
		end := p.at + len(token.Value)
		if end > len(code) || code[p.at:end] != token.Value {
			return escape(code)
		}
		p.paint(classOf(token.Type), end)
	}
	return p.html()
}

// sameColours complains where a lexer of ours does not give up and differs
// from chroma.
func sameColours(t testing.TB, language, code string) (ours bool) {
	t.Helper()
	got, ok := paintOwn(language, code)
	if !ok {
		return false
	}
	if want := byChroma(t, language, code); got != want {
		i := 0
		for i < len(got) && i < len(want) && got[i] == want[i] {
			i++
		}
		from := max(0, i-80)
		t.Errorf("%s:\ngot  …%s\nwant …%s", language, got[from:min(len(got), i+60)], want[from:min(len(want), i+60)])
	}
	return true
}

// TestOwnLexers: testdata/code has a file for each language, in which a line of
// "====" divides pieces. Chroma decides what is right, and ours must know it.
func TestOwnLexers(t *testing.T) {
	files, err := filepath.Glob("testdata/code/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/code: %v", err)
	}
	for _, file := range files {
		language := strings.TrimSuffix(filepath.Base(file), ".txt")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range strings.Split(string(data), "====\n") {
			if !sameColours(t, language, code) {
				t.Errorf("%s: it gives up at\n%s", file, code)
			}
		}
	}
}

// FuzzOwnLexers: whatever the code, ours says what chroma says, or nothing.
func FuzzOwnLexers(f *testing.F) {
	languages := []string{"go", "json", "sh", "python", "js", "yaml"}
	files, _ := filepath.Glob("testdata/code/*")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, code := range strings.Split(string(data), "====\n") {
			for i := range languages {
				f.Add(uint8(i), code)
			}
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, code string) {
		if len(code) > 2000 {
			return
		}
		sameColours(t, languages[int(i)%len(languages)], code)
	})
}
