package corpus

import (
	"strconv"
	"unicode/utf8"
)

// snippet is the code of one fence.
type snippet struct{ language, text string }

// language generates code in one language from templates of its lines, in which §
// is replaced by a name and № for a number.
type language struct {
	name   string // as the fence names it
	weight int    // how often it is chosen, relative to the others
	first  string
	lines  []string // between first and last, in random order and number
	last   string
}

// languages lists the languages of fences.
var languages = []language{
	{"go", 20, "func §(ctx context.Context, § *redis.Client) error {\n", []string{
		"\t// § is asked once, because § may be late.\n", "\t§, err := §.Get(ctx, \"§:§\").Int64()\n", "\tif err != nil {\n\t\treturn fmt.Errorf(\"§ %d: %w\", №, err)\n\t}\n",
		"\tfor i := range № {\n\t\t§ += §[i] * 0x№\n\t}\n", "\tswitch § {\n\tcase '§'[0], №:\n\t\tgo §.Close()\n\tdefault:\n\t}\n", "\tvar § = map[string][]byte{`§`: nil, \"§\\n\": {№}}\n",
	}, "\treturn nil\n}\n"},
	{"redis", 10, "", []string{"SET §:№ \"§ §\" EX №\n", "INCR §:§\n", "EXPIRE §:§ № NX\n", "HGETALL §:№\n", "EVAL \"return redis.call('INCR', KEYS[1])\" 1 §\n", "# § again\nTTL §:§\n"}, ""},
	{"sh", 14, "#!/bin/sh\nset -eu\n", []string{"for § in \"$@\"; do\n\techo \"§: ${#§}\" >&2\ndone\n", "curl -sS -H 'Accept: §/json' \"http://localhost:№/§?§=№\" | jq '.§'\n",
		"if [ -f \"$HOME/.§\" ]; then . \"$HOME/.§\"; fi\n", "docker run --rm -p №:№ --name § §:№ # the §\n", "export §=$(date +%s)\n"}, ""},
	{"json", 10, "{\n", []string{"  \"§\": \"§ §\",\n", "  \"§\": №,\n", "  \"§\": [№, №.5e3, true, null],\n", "  \"§\": {\"§\": false, \"§\": \"\\u00e9§\"},\n"}, "  \"§\": №\n}\n"},
	{"python", 12, "def §(§, §=№):\n    \"\"\"Gives the § of a §.\"\"\"\n", []string{"    for i, § in enumerate(§[№:]):\n        yield f\"{§}-{i:03d}\"  # the §\n", "    if § is None or § >= №:\n        raise ValueError(\"no §\")\n",
		"    § = {k: v for k, v in §.items() if v != '§'}\n", "    with open(§, 'rb') as §:\n        § += await §.read(№)\n"}, "    return §\n"},
	{"yaml", 9, "§:\n", []string{"  §: \"§\"  # §\n", "  §:\n    - §: №\n      §: true\n", "  §-§: [§, §, №]\n", "  §: |\n    § § §\n"}, ""},
	{"js", 9, "export async function §(§, { § = № } = {}) {\n", []string{"  const § = await fetch(`/§/${§}?n=№`);\n", "  if (!§.ok) throw new Error('no §');\n", "  // § comes before §\n  for (const [k, v] of Object.entries(§)) §.set(k, v ?? №);\n",
		"  return §.map((x) => x / №).filter(/^§-[0-9]+§/g.test);\n"}, "}\n"},
	{"", 8, "", []string{"§ § §: №\n", "  § -> § (№ ms)\n", "§\n"}, ""},
	{"text", 3, "", []string{"№ of # §s\n", "§ | § | №\n"}, ""},
	{"sql", 3, "", []string{"SELECT §, count(*) FROM § WHERE § = '§' GROUP BY § HAVING count(*) > №;\n", "-- the §\nINSERT INTO § (§, §) VALUES (№, '§');\n"}, ""},
	{"html", 2, "<ul class=\"§\">\n", []string{"  <li id=\"§-№\"><a href=\"/§?a=№&amp;b\">§ §</a></li>\n", "  <!-- § -->\n"}, "</ul>\n"},
	{"c", 2, "static int §(struct § *§)\n{\n", []string{"\tif (§->§ > 0x№)\n\t\treturn -№;\n", "\t/* § */\n\tmemcpy(§, \"§\\n\", sizeof(*§));\n"}, "\treturn 0;\n}\n"},
	{"diff", 2, "--- a/§.go\n+++ b/§.go\n@@ -№,7 +№,7 @@\n", []string{"-\t§ := №\n+\t§ := №\n", " \treturn §\n"}, ""},
	{"toml", 2, "[§.§]\n", []string{"§ = \"§\" # §\n", "§ = [№, №]\n"}, ""},
}

// weighted holds each language as many times as its weight.
var weighted = func() (all []*language) {
	for i := range languages {
		for range languages[i].weight {
			all = append(all, &languages[i])
		}
	}
	return all
}()

// snippet returns code in a random language.
func (w *writer) snippet() snippet {
	l := weighted[w.IntN(len(weighted))]
	w.out = w.out[:0]
	w.fill(l.first)
	for range 2 + w.IntN(9) {
		w.fill(l.lines[w.IntN(len(l.lines))])
	}
	w.fill(l.last)
	return snippet{l.name, string(w.out)}
}

// fill appends a template with random names and numbers.
func (w *writer) fill(template string) {
	for _, c := range template {
		switch c {
		case '§':
			w.add(w.name())
		case '№':
			w.add(strconv.Itoa(w.IntN(1000)))
		default:
			w.out = utf8.AppendRune(w.out, c)
		}
	}
}
