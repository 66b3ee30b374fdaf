package main

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verbatim/internal/markdown"
	"verbatim/internal/record"
)

const guideFile = "../../content/writing-lessons.md"

// A guide is the author's guide taken apart.
type guide struct {
	lesson string   // its own lines, without the blocks
	blocks []string // each ````markdown block: what an author writes
}

func readGuide(t *testing.T) guide {
	t.Helper()
	src, err := os.ReadFile(guideFile)
	if err != nil {
		t.Fatal(err)
	}
	var g guide
	inside := false
	for line := range strings.Lines(string(src)) {
		switch mark := strings.TrimSpace(line); {
		case mark == "````markdown":
			inside = true
			g.blocks = append(g.blocks, "")
		case mark == "````" && inside:
			inside = false
		case inside:
			g.blocks[len(g.blocks)-1] += line
		default:
			g.lesson += line
		}
	}
	if len(g.blocks) < 10 {
		t.Fatalf("%s shows only %d blocks of Markdown", guideFile, len(g.blocks))
	}
	return g
}

// section returns the lesson's lines below a heading, up to the next.
func (g guide) section(heading string) string {
	_, below, _ := strings.Cut(g.lesson, "\n## "+heading+"\n")
	section, _, _ := strings.Cut(below, "\n## ")
	return section
}

// frontMatters are the blocks that show a whole file.
func (g guide) frontMatters() string {
	var all []string
	for _, block := range g.blocks {
		if front, ok := strings.CutPrefix(block, "---\n"); ok {
			front, _, _ = strings.Cut(front, "\n---\n")
			all = append(all, front)
		}
	}
	return strings.Join(all, "\n")
}

// fencesOf returns the bodies of the fences that the pattern opens.
func (g guide) fencesOf(open string) string {
	var bodies []string
	for _, m := range regexp.MustCompile("(?ms)^```"+open+"\n(.*?)^```$").FindAllStringSubmatch(g.lesson, -1) {
		bodies = append(bodies, m[1])
	}
	return strings.Join(bodies, "\n")
}

func matches(pattern, text string) bool {
	return regexp.MustCompile("(?m)" + pattern).MatchString(text)
}

// lacking returns the names for which the pattern, with the name for its %s,
// does not match.
func lacking(names []string, pattern, text string) (missing []string) {
	for _, name := range names {
		if !matches(strings.ReplaceAll(pattern, "%s", regexp.QuoteMeta(name)), text) {
			missing = append(missing, name)
		}
	}
	return missing
}

// lackedContainers names each container that does not stand in the lesson and
// in a block, and each key that stands in no block or row of the reference.
func (g guide) lackedContainers(all []markdown.Shape) (missing []string) {
	blocks := strings.Join(g.blocks, "\n")
	for _, c := range all {
		name := regexp.QuoteMeta(c.Name)
		if !matches("^:::+ "+name+`\b`, g.lesson) || !matches("^:::+ "+name+`\b`, blocks) {
			missing = append(missing, c.Name)
		}
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\|.*$").FindString(g.section("Every container and its keys"))
		for _, key := range lacking(c.Keys, "`%s`", row) {
			missing = append(missing, c.Name+" "+key)
		}
	}
	return missing
}

// lackedFences does the same for fences; each key stands in a block.
func (g guide) lackedFences(all []markdown.Shape) (missing []string) {
	blocks := strings.Join(g.blocks, "\n")
	for _, f := range all {
		name := regexp.QuoteMeta(f.Name)
		if f.Name == "" {
			name = `[a-z]+`
		}
		if len(f.Keys) == 0 && (!matches("^```"+name+"$", g.lesson) || !matches("^```"+name+"$", blocks)) {
			missing = append(missing, f.Name)
		}
		for _, key := range f.Keys {
			open := "^```" + name + ` \{([^}]* )?` + regexp.QuoteMeta(key)
			if !matches(open, g.lesson) || !matches(open, blocks) {
				missing = append(missing, f.Name+" "+key)
			}
		}
	}
	return missing
}

// The guide shows everything that exists, by the tables that the code itself
// reads: who adds a row there is told to show it.
func TestGuideShowsEverything(t *testing.T) {
	g := readGuide(t)
	differ := "What may differ from run to run"
	quotecheck, err := os.ReadFile("../quotecheck/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for what, missing := range map[string][]string{
		"containers":             g.lackedContainers(markdown.Containers()),
		"fences":                 g.lackedFences(markdown.Fences()),
		"keys of front matter":   lacking(yamlKeys(t, "metaYAML"), "^%s:", g.frontMatters()),
		"keys of example.yaml":   lacking(yamlKeys(t, "exampleYAML"), "^\\| `%s` \\|", g.section(differ)),
		"example.yaml in use":    lacking(yamlKeys(t, "exampleYAML"), "^%s:", g.fencesOf(`yaml \{from="[^"]*/example\.yaml"\}`)),
		"keys of source.yaml":    lacking(yamlKeys(t, "sourceYAML"), "^%s:", g.fencesOf(`yaml\n# quotes/[^/\n]+/source\.yaml`)),
		"masks":                  lacking(slices.Sorted(maps.Keys(record.Typed)), "`%s`", g.section(differ)),
		"flags of build":         lacking(buildFlags(), "^\\| `-%s[ `]", g.section("Every flag of build")),
		"kinds of Redis":         lacking(kinds, "^\\| `-redis.*`%s`", g.section("Every flag of build")),
		"flags of quotecheck":    lacking(quoted(t, quotecheck, `f\.\w+\(&\S+, "([^"]+)"`), "^\\| `-%s[ `]", g.section("Every flag of quotecheck")),
		"commands of quotecheck": lacking(quoted(t, quotecheck, `\{"(\w+)", quotecheck\.`), "^- `%s`", g.section("Quotations and seals")),
	} {
		if len(missing) > 0 {
			t.Errorf("%s does not show these %s: %q", guideFile, what, missing)
		}
	}
}

// README names every flag of build, every container, every key of example.yaml and of
// source.yaml, every kind of Redis and every command of quotecheck.
func TestReadmeNamesEverything(t *testing.T) {
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(src)
	var containers []string
	for _, c := range markdown.Containers() {
		containers = append(containers, c.Name)
	}
	quotecheck, err := os.ReadFile("../quotecheck/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for what, missing := range map[string][]string{
		"flags of build":         lacking(buildFlags(), "^\\| .*`-%s[ `]", readme),
		"containers":             lacking(containers, "`%s`", readme),
		"keys of example.yaml":   lacking(yamlKeys(t, "exampleYAML"), "^\\| .*`%s`.*\\|", readme),
		"keys of source.yaml":    lacking(yamlKeys(t, "sourceYAML"), "`%s[:`]", readme),
		"kinds of Redis":         lacking(kinds, "^\\| `%s`", readme),
		"commands of quotecheck": lacking(quoted(t, quotecheck, `\{"(\w+)", quotecheck\.`), `quotecheck %s\b`, readme),
	} {
		if len(missing) > 0 {
			t.Errorf("README.md does not name these %s: %q", what, missing)
		}
	}
	if got := lacking([]string{"new-flag"}, "^\\| .*`-%s[ `]", readme); len(got) != 1 {
		t.Error("a flag that README does not name is not missed")
	}
}

// What nobody has written about is missed: the lists above find something.
func TestGuideMissesTheNew(t *testing.T) {
	g := readGuide(t)
	for _, row := range []struct{ got, want []string }{
		{g.lackedContainers([]markdown.Shape{{Name: "note"}, {Name: "new"}, {Name: "tip", Keys: []string{"run", "new"}}}), []string{"new", "tip new"}},
		{g.lackedFences([]markdown.Shape{{Name: "new"}, {Name: "output", Keys: []string{"of", "new"}}, {Keys: []string{"from", "new"}}}), []string{"new", "output new", " new"}},
		{lacking([]string{"title", "new"}, "^%s:", g.frontMatters()), []string{"new"}},
		{lacking([]string{"v", "new-flag"}, "^\\| `-%s[ `]", g.section("Every flag of quotecheck")), []string{"new-flag"}},
	} {
		if !slices.Equal(row.got, row.want) {
			t.Errorf("missed %q, want %q", row.got, row.want)
		}
	}
}

// buildFlags returns the names of the flags of build.
func buildFlags() (names []string) {
	new(options).flags().VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// yamlKeys returns the keys of a file that internal/load reads into a struct of
// that name.
func yamlKeys(t *testing.T, name string) (keys []string) {
	t.Helper()
	files, err := filepath.Glob("../../internal/load/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			for _, field := range spec.Type.(*ast.StructType).Fields.List {
				tag, err := strconv.Unquote(field.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, reflect.StructTag(tag).Get("yaml"))
			}
			return false
		})
	}
	if len(keys) == 0 {
		t.Fatalf("internal/load has no struct %s", name)
	}
	return keys
}

// quoted returns what a pattern finds in a source file.
func quoted(t *testing.T, src []byte, pattern string) (found []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(src, -1) {
		found = append(found, string(m[1]))
	}
	if len(found) == 0 {
		t.Fatalf("nothing matches %s any more", pattern)
	}
	return found
}

// filled finds a fence whose body the build keeps.
var filled = regexp.MustCompile("(?ms)^(```\\w+ \\{(?:of|from)=[^\n]*\n).*?^```$")

// What a block shows stands in the lesson, so that readers see what becomes of
// it. Blocks with front matter are whole files.
func TestGuideDoesWhatItShows(t *testing.T) {
	g := readGuide(t)
	lesson := filled.ReplaceAllString(g.lesson, "$1```")
	for _, block := range g.blocks {
		if !strings.HasPrefix(block, "---\n") && !strings.Contains(lesson, "\n"+block) {
			t.Errorf("%s shows this, and does not do it:\n%s", guideFile, block)
		}
	}
}

// The problems that the guide lists are those of the lesson above them.
func TestGuideProblems(t *testing.T) {
	src, err := os.ReadFile(guideFile)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n````markdown\n((?:[^`]|`[^`]|``[^`]|```[^`])*)````\n\nand you read:\n\n```text\n(.*?)```\n").FindSubmatch(src)
	if m == nil {
		t.Fatalf("%s shows no lesson with its problems", guideFile)
	}
	site := t.TempDir()
	for name, text := range map[string]string{
		"content/broken.md":                  string(m[1]),
		"examples/guide-visits/example.yaml": "run: sh main.sh\nneeds: none\n",
		"examples/guide-visits/main.sh":      "echo a line; echo home=20 >>$VERBATIM_VALUES\n",
	} {
		file := filepath.Join(site, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := exec.Command("build", "-C", site).CombinedOutput()
	problems, _, _ := strings.Cut(string(out), "build: ")
	if problems != string(m[2]) {
		t.Errorf("the build says\n%s\nthe guide says\n%s", problems, m[2])
	}
}
