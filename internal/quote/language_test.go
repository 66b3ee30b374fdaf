package quote

import (
	"strings"
	"testing"
)

// TestNegationsByLanguage: an elision in an English passage may skip a word that is a
// negation only in another language; no elision skips a negation of its own language.
func TestNegationsByLanguage(t *testing.T) {
	english := "It was clear to the authors of this report that the server, with %s as an option, answers from the cache and that you have to wait."
	german := "Die Autoren wissen, dass der Server den Befehl %s bestätigt und danach die Antwort an den Klienten schickt, der lange wartet."
	for word, refused := range map[string]bool{
		"sans serif": false, "Nie Systems": false, "Kein": false, "sin(x)": false, "mai tai": false, "faux pas": false,
		"ni cad": false, "ohne": false, "inte": false, "Nada": false, "sem": false,
		"not": true, "never a cache": true, "no cache": true, "isn't": true, "without it": true, "none": true, "cannot": true,
		"neither": true, "hardly": true, "不": true,
	} {
		text := strings.Replace(english, "%s", word, 1)
		if f := elided(t, text, "clear to the authors", "answers from the cache"); (f.Verdict == NoMatch) != refused {
			t.Errorf("English, %s: %s", word, f.Verdict)
		}
	}
	for _, word := range []string{"nicht", "nie", "kein", "ohne", "niemals", "keine", "weder", "nirgends", "nichts", "keinen", "not"} {
		if f := elided(t, strings.Replace(german, "%s", word, 1), "dass der Server", "danach die Antwort"); f.Verdict != NoMatch {
			t.Errorf("German, %s: %s", word, f.Verdict)
		}
	}
}

func elided(t *testing.T, text, from, to string) Finding {
	t.Helper()
	p, err := ReadPage("page.html", strings.NewReader("<p>"+text+"</p>"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Find(from + " … " + to)
}
