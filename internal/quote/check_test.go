package quote

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/yamldoc"
)

// TestCheck runs every archive of testdata/check. Its files are a site; files
// below pages/ are the folder of -pages. "cited" has a line for each
// quotation: source, url or "-", text. "want" is what the check says. Where
// "seal" is there, its sources are sealed first, and "!seal" files then put
// in place.
func TestCheck(t *testing.T) {
	golden.Archives(t, "testdata/check/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		return golden.Set(t, a, "want", []byte(checkArchive(t, a)))
	})
}

// TestSiteWord holds that what a machine has besides the committed files
// never changes the word on the site.
func TestSiteWord(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		here := archiveInput(t, archive)
		clone := here
		clone.Pages = nil
		committed := fstest.MapFS{}
		for name, f := range here.Site.(fstest.MapFS) {
			if !strings.Contains(name, "/private/") {
				committed[name] = f
			}
		}
		clone.Site = committed
		if got, want := siteWords(t, here), siteWords(t, clone); got != want {
			t.Errorf("%s: with its own pages this machine says\n%s\na clone says\n%s", file, got, want)
		}
	}
}

func siteWords(t *testing.T, in Input) string {
	results, _, err := Check(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range results {
		fmt.Fprintf(&out, "%s %+v\n", r.Quote.Pos, r.Published)
	}
	return out.String()
}

func checkArchive(t *testing.T, archive *txtar.Archive) string {
	results, ps, err := Check(context.Background(), archiveInput(t, archive))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range results {
		fmt.Fprintf(&out, "%d %s%s: %s %s, here %s, on the site %s, %d×\n", r.Quote.Pos.Line, r.Source, map[bool]string{true: " (our own page)"}[r.Ours], r.Verdict, r.Fold, r.State, strings.Join(append([]string{string(r.Published.State)}, ReaderNotes(r.Published.Reservations)...), ": "), r.Occurrences)
	}
	ps.Print(&out)
	return out.String()
}

// archiveInput makes the site that an archive describes.
func archiveInput(t *testing.T, archive *txtar.Archive) Input {
	site, pages := fstest.MapFS{}, fstest.MapFS{}
	in := Input{Site: site, Pages: pages, Strip: strip}
	var later []txtar.File
	sealFirst := false
	for _, f := range archive.Files {
		name, isPage := strings.CutPrefix(f.Name, "pages/")
		after, isLater := strings.CutPrefix(f.Name, "!")
		switch {
		case f.Name == "cited":
			in.Citations = citations(string(f.Data))
		case f.Name == "seal":
			sealFirst = true
		case f.Name == "publish":
			in.Publish = true
		case isLater:
			later = append(later, txtar.File{Name: after, Data: f.Data})
		case isPage:
			pages[name] = &fstest.MapFile{Data: f.Data}
		default:
			site[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	in.Sources = sources(t, site)
	if sealFirst {
		sealAll(t, in, site)
	}
	for _, f := range later {
		apply(site, pages, f, &in)
	}
	return in
}

// apply puts one "!" file in place: "!delete" names files to remove, a file
// that begins with "s/old/new/" is edited, any other is replaced.
func apply(site, pages fstest.MapFS, f txtar.File, in *Input) {
	fsys, name := site, f.Name
	if rest, ok := strings.CutPrefix(name, "pages/"); ok {
		fsys, name = pages, rest
	}
	switch {
	case name == "cited":
		in.Citations = citations(string(f.Data))
	case name == "delete":
		for file := range strings.FieldsSeq(string(f.Data)) {
			delete(site, file)
			if page, ok := strings.CutPrefix(file, "pages/"); ok {
				delete(pages, page)
			}
		}
	case strings.HasPrefix(string(f.Data), "s/"):
		edit := strings.Split(strings.TrimSpace(string(f.Data)), "/")
		old := string(fsys[name].Data)
		fsys[name] = &fstest.MapFile{Data: []byte(strings.Replace(old, edit[1], edit[2], 1))}
	default:
		fsys[name] = &fstest.MapFile{Data: f.Data}
	}
}

func sealAll(t *testing.T, in Input, site fstest.MapFS) {
	seals, ps, err := Seal(context.Background(), in, nil)
	if err != nil || len(ps) > 0 {
		t.Fatalf("seal: %v %v", err, ps)
	}
	for _, s := range seals {
		if s.Data != nil {
			site[s.File] = &fstest.MapFile{Data: s.Data}
		}
	}
}

func citations(text string) []Citation {
	var cited []Citation
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 {
			continue
		}
		pos := problem.Pos{File: "content/x.md", Line: i + 1, Col: 3}
		c := Citation{Source: words[0], Pos: pos, URL: strings.Trim(words[1], "-")}
		c.Quotes = []lesson.Quote{{Pos: pos, Text: words[2]}}
		cited = append(cited, c)
	}
	return cited
}

// sources reads the source.yaml files as far as these tests need them.
func sources(t *testing.T, site fstest.MapFS) []lesson.Source {
	files, err := site.Glob("quotes/*/source.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []lesson.Source
	for _, file := range files {
		var y struct {
			URL     string `yaml:"url"`
			Publish bool   `yaml:"publish"`
			Module  string `yaml:"module"`
			File    string `yaml:"file"`
			Ours    bool   `yaml:"ours"`
		}
		if _, ps := yamldoc.Decode(file, 0, site[file].Data, &y, false); len(ps) > 0 {
			t.Fatal(ps)
		}
		id := filepath.Base(filepath.Dir(file))
		all = append(all, lesson.Source{ID: id, File: file, URL: y.URL, Publish: y.Publish, Module: y.Module, Path: y.File, Ours: y.Ours})
	}
	return all
}
