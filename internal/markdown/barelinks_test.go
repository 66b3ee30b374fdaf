package markdown_test

import (
	"testing"

	"verbatim/internal/markdown"
)

// TestBareLinks: an address goes on over letters and digits of every script, and
// ends before punctuation that is not its own.
func TestBareLinks(t *testing.T) {
	for src, want := range map[string]string{
		"https://de.wikipedia.org/wiki/Größe":                    "https://de.wikipedia.org/wiki/Größe",
		"see https://de.wikipedia.org/wiki/Größe, or":            "https://de.wikipedia.org/wiki/Größe",
		"(https://fr.wikipedia.org/wiki/Été)":                    "https://fr.wikipedia.org/wiki/Été",
		"https://ru.wikipedia.org/wiki/Счётчик.":                 "https://ru.wikipedia.org/wiki/Счётчик",
		"https://zh.wikipedia.org/wiki/限流。然后":                    "https://zh.wikipedia.org/wiki/限流",
		"见 https://example.org/词，后":                              "https://example.org/词",
		"https://ja.wikipedia.org/wiki/レート（制限）":                  "https://ja.wikipedia.org/wiki/レート",
		"「https://example.org/a」":                                "",
		" https://example.org/a」":                                "https://example.org/a",
		"https://example.org/a、b":                                "https://example.org/a",
		"https://hi.wikipedia.org/wiki/दर_सीमा":                  "https://hi.wikipedia.org/wiki/दर_सीमा",
		"https://ar.wikipedia.org/wiki/عداد؟":                    "https://ar.wikipedia.org/wiki/عداد",
		"https://münchen.example/straße?größe=２#x":               "https://münchen.example/straße?größe=２#x",
		"www.müller.example/ü!":                                  "http://www.müller.example/ü",
		"https://vi.wikipedia.org/wiki/Tie\u0302\u0301ng \u2026": "https://vi.wikipedia.org/wiki/Tie\u0302\u0301ng",
		"https://example.org/a\u2026":                            "https://example.org/a",
		"https://example.org/a\u202eb":                           "https://example.org/a",
		"https://example.org/a?b=c&d=e;":                         "https://example.org/a?b=c&d=e;",
		"https://例え.テスト/":                                        "https://例え.テスト/",
	} {
		doc, _ := markdown.Parse("in.md", []byte(src+"\n"), 0)
		got := ""
		if len(doc.Body.Links) > 0 {
			got = doc.Body.Links[0].Dest
		}
		if got != want || len(doc.Body.Links) > 1 {
			t.Errorf("%s: links %+v, want %s", src, doc.Body.Links, want)
		}
	}
}
