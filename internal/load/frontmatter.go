package load

import (
	"bytes"
	"maps"
	"slices"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/yamldoc"
)

// metaYAML is the front matter as authors write it.
type metaYAML struct {
	Title      string         `yaml:"title"`
	Summary    string         `yaml:"summary"`
	Needs      []yamldoc.Item `yaml:"needs"`
	Related    []yamldoc.Item `yaml:"related"`
	Tags       []string       `yaml:"tags"`
	Checked    string         `yaml:"checked"`
	Aliases    []string       `yaml:"aliases"`
	Draft      bool           `yaml:"draft"`
	BaseURL    string         `yaml:"base_url"`
	Language   string         `yaml:"language"`
	License    string         `yaml:"license"`
	Repository string         `yaml:"repository"`
	Redis      string         `yaml:"redis"`
}

// frontMatter reads the YAML between the first line and the next line that are
// both ---, and returns the offset of what follows. A file that does not begin
// so has none.
func frontMatter(file string, src []byte) (lesson.Meta, int, problem.List) {
	var ps problem.List
	skip := 0
	if bytes.HasPrefix(src, []byte(yamldoc.BOM)) {
		skip = len(yamldoc.BOM)
	}
	yaml, rest, found := cutFrontMatter(src[skip:])
	if !found {
		if yaml != nil {
			ps.AddHint(problem.Pos{File: file, Line: 1, Col: 1}, "front matter",
				"end it with a line that is only ---", "the front matter is not closed")
		}
		return lesson.Meta{}, skip, ps
	}
	var m metaYAML
	places, ps := yamldoc.Decode(file, 1, yaml, &m, true)
	at := func(key string) problem.Pos { return places[key] }
	meta := lesson.Meta{
		Title: m.Title, Summary: m.Summary, Tags: m.Tags, Checked: m.Checked, Draft: m.Draft,
		Aliases: m.Aliases, BaseURL: m.BaseURL, Language: m.Language, License: m.License,
		Repository: m.Repository, Redis: m.Redis, Pos: places,
		Needs: refs(file, m.Needs, &ps), Related: refs(file, m.Related, &ps),
	}
	checkDate(at("checked"), "front matter", "checked", m.Checked, &ps)
	return meta, skip + rest, ps
}

// cutFrontMatter returns the text between the two --- lines and the offset
// behind them. Where a first --- line is followed by a key and never closed,
// yaml is not nil and found is false.
func cutFrontMatter(src []byte) (yaml []byte, rest int, found bool) {
	offset := 0
	for line := range bytes.Lines(src) {
		text := string(bytes.TrimRight(line, " \t\r\n"))
		if offset == 0 && text != "---" {
			return nil, 0, false
		}
		if offset > 0 && text == "---" {
			start := bytes.IndexByte(src, '\n') + 1
			return src[start:offset], offset + len(line), true
		}
		offset += len(line)
	}
	_, second, _ := bytes.Cut(src, []byte("\n"))
	line, _, _ := bytes.Cut(second, []byte("\n"))
	if key, _, ok := bytes.Cut(line, []byte(":")); ok && !bytes.ContainsAny(key, " \t") {
		return second, 0, false
	}
	return nil, 0, false
}

func refs(file string, items []yamldoc.Item, ps *problem.List) []lesson.Ref {
	var out []lesson.Ref
	known := []string{"id", "why"}
	for _, i := range items {
		for _, key := range slices.Sorted(maps.Keys(i.Fields)) {
			if !slices.Contains(known, key) {
				ps.AddHint(problem.Pos{File: file, Line: i.Line + 1, Col: i.Col}, "yaml", problem.DidYouMean(key, known), "unknown key %q", key)
			}
		}
		ref := lesson.Ref{ID: i.Text, Pos: problem.Pos{File: file, Line: i.Line + 1, Col: i.Col}}
		if i.Fields != nil {
			ref.ID, ref.Why = i.Fields["id"], i.Fields["why"]
		}
		out = append(out, ref)
	}
	return out
}
