package record

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"verbatim/internal/lesson"
)

// Typed holds the masks that have a name. They match text that differs in every run.
var Typed = map[string]string{
	"time": `\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d|[A-Z]{3,4}))?` + // a date and time
		`|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d(?:\.\d+)?` + // one of the two
		`|\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s)\b` + // a duration
		`|\b1\d{9}(?:\d{3}(?:\d{3}(?:\d{3})?)?)?\b`, // Unix time in s, ms, µs, ns
	"id": `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}` + // UUID
		`|\b\d{13}-\d+\b` + // entry of a stream
		`|\b(?i:pid)[ =:#]+\d+` + // process
		`|\b[0-9a-f]{16,}\b`, // hash, run id
	"port": `(?:127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b|\b(?i:port)[ =:#]+\d{2,5}\b`,
}

// Rules say what counts as the same evidence for one example.
type Rules struct {
	masks     []*regexp.Regexp
	unordered bool
	tolerance map[string]float64
}

// RulesOf compiles the rules that an example declares. It leaves out masks
// that do not compile; load reports them.
func RulesOf(e lesson.Example) Rules {
	r := Rules{unordered: e.Unordered, tolerance: e.Tolerance}
	for _, m := range e.Masks {
		if re, err := regexp.Compile(m.Pattern); err == nil {
			r.masks = append(r.masks, re)
		}
	}
	return r
}

// Diff returns the first line, value or table cell that differs between two runs, as
// it was recorded and as it is now, or "" if the runs are equal under the rules.
func (r Rules) Diff(recorded, now *Evidence) string {
	if d := r.diffLines(Lines(recorded.Output), Lines(now.Output)); d != "" {
		return d
	}
	if d := r.diffValues(recorded.Values, now.Values); d != "" {
		return d
	}
	return r.diffTables(recorded.Tables, now.Tables)
}

func (r Rules) diffLines(recorded, now []string) string {
	a, b := r.masked(recorded), r.masked(now)
	if !r.unordered {
		return diffMasked(a, b, recorded, now)
	}
	slices.Sort(a)
	slices.Sort(b)
	return Diff(a, b)
}

// diffMasked compares masked lines, and returns the first pair that differs without
// its masks.
func diffMasked(a, b, recorded, now []string) string {
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i] == b[i] {
			continue
		}
		return Diff(append(slices.Clone(a[:min(i, len(a))]), tail(recorded, i)...),
			append(slices.Clone(b[:min(i, len(b))]), tail(now, i)...))
	}
	return ""
}

func tail(lines []string, from int) []string { return lines[min(from, len(lines)):] }

// masked returns the lines with the matches of every mask replaced by the same mark.
func (r Rules) masked(lines []string) []string {
	out := slices.Clone(lines)
	for i := range out {
		for _, re := range r.masks {
			out[i] = re.ReplaceAllLiteralString(out[i], "\x00")
		}
	}
	return out
}

// Hide returns a line as a page shows it, with what each mask matches replaced by
// the mask's name, ⟨time⟩ for one.
func Hide(line string, masks []lesson.Mask) string { return newHider(masks).line(line) }

// hider replaces what masks match by their names.
type hider struct {
	patterns []*regexp.Regexp
	names    []string
}

// newHider compiles masks. Those that do not compile are left out.
func newHider(masks []lesson.Mask) (h hider) {
	for _, m := range masks {
		re, err := regexp.Compile(m.Pattern)
		if err != nil {
			continue
		}
		name := "masked"
		if _, typed := Typed[m.Name]; typed {
			name = m.Name
		}
		h.patterns, h.names = append(h.patterns, re), append(h.names, "⟨"+name+"⟩")
	}
	return h
}

// line returns a line with the matches of the masks replaced by the masks' names.
func (h hider) line(line string) string {
	const first = 0xF0000 // of private use, so that no later mask takes a name for text
	for i, re := range h.patterns {
		line = re.ReplaceAllLiteralString(line, string(rune(first+i)))
	}
	for i, name := range h.names {
		line = strings.ReplaceAll(line, string(rune(first+i)), name)
	}
	return line
}

func (r Rules) diffValues(recorded, now map[string]string) string {
	for _, name := range names(recorded, now) {
		a, had := recorded[name]
		b, has := now[name]
		switch {
		case !has:
			return fmt.Sprintf("value %s\n  recorded %q\n  now      (nothing)", name, a)
		case !had:
			return fmt.Sprintf("value %s\n  recorded (nothing)\n  now      %q", name, b)
		case !r.close(name, a, b):
			return fmt.Sprintf("value %s\n  recorded %q\n  now      %q", name, a, b)
		}
	}
	return ""
}

func (r Rules) diffTables(recorded, now map[string][]byte) string {
	for _, name := range names(recorded, now) {
		a, errA := ParseTable(name, recorded[name])
		b, errB := ParseTable(name, now[name])
		if errA != nil || errB != nil || len(a) != len(b) || !slices.Equal(a[0], b[0]) {
			return fmt.Sprintf("table %s\n  recorded %s\n  now      %s", name, size(a), size(b))
		}
		for i := range a {
			for j, column := range a[0] {
				if !r.close(name+":"+column, a[i][j], b[i][j]) {
					return fmt.Sprintf("table %s, row %d, column %s\n  recorded %q\n  now      %q", name, i, column, a[i][j], b[i][j])
				}
			}
		}
	}
	return ""
}

func size(table [][]string) string {
	if len(table) == 0 {
		return "(nothing)"
	}
	return fmt.Sprintf("%d rows of %s", len(table)-1, strings.Join(table[0], ", "))
}

// close reports whether a figure is the recorded one, or within its tolerance.
func (r Rules) close(name, recorded, now string) bool {
	if recorded == now {
		return true
	}
	percent, ok := r.tolerance[name]
	a, errA := strconv.ParseFloat(recorded, 64)
	b, errB := strconv.ParseFloat(now, 64)
	return ok && errA == nil && errB == nil && finite(a) && finite(b) && math.Abs(a-b) <= math.Abs(a)*percent/100
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// NotMeasured returns the first value or table cell that has a tolerance and is
// no finite number, as "value n" or "table t.csv, row 2, column ms", with its
// text; "" when there is none.
func NotMeasured(tolerance map[string]float64, e *Evidence) (where, text string) {
	measured := func(s string) bool {
		x, err := strconv.ParseFloat(s, 64)
		return err == nil && finite(x)
	}
	for _, name := range slices.Sorted(maps.Keys(tolerance)) {
		if value, ok := e.Values[name]; ok && !measured(value) {
			return "value " + name, value
		}
		file, column, ok := strings.Cut(name, ":")
		rows, err := ParseTable(file, e.Tables[file])
		if !ok || err != nil {
			continue
		}
		at := slices.Index(rows[0], column)
		for i, row := range rows[1:] {
			if at >= 0 && row[at] != "" && !measured(row[at]) {
				return fmt.Sprintf("table %s, row %d, column %s", file, i+1, column), row[at]
			}
		}
	}
	return "", ""
}

func names[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// UnusedMasks returns the masks that match nothing of what a run printed.
func UnusedMasks(masks []lesson.Mask, e *Evidence) (unused []lesson.Mask) {
	lines := Lines(e.Output)
	for _, m := range masks {
		re, err := regexp.Compile(m.Pattern)
		if err == nil && !slices.ContainsFunc(lines, re.MatchString) {
			unused = append(unused, m)
		}
	}
	return unused
}

// MaxHidden is the share of the letters and digits of an output that masks may hide.
const MaxHidden = 0.75

// Hidden returns how many letters and digits of what a run printed all masks together
// hide, and how many it printed.
func Hidden(masks []lesson.Mask, e *Evidence) (hidden, printed int) {
	lines := Lines(e.Output)
	left := strings.Join(RulesOf(lesson.Example{Masks: masks}).masked(lines), "")
	printed = wordRunes(strings.Join(lines, ""))
	return printed - wordRunes(left), printed
}

// wordRunes returns the number of letters and digits in s.
func wordRunes(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			n++
		}
	}
	return n
}

// itemNumber is what redis-cli prints before an item of a list.
var itemNumber = regexp.MustCompile(`^ *(?:\d+\) ?)+`)

// OrderDiffers reports whether two runs of an example differ only in the order of
// their lines. It ignores the numbers of list items in a transcript.
func OrderDiffers(e lesson.Example, a, b *Evidence) bool {
	unordered := e
	unordered.Unordered = true
	x, y := *a, *b
	if len(e.Commands) > 0 {
		x.Output, y.Output = withoutNumbers(a.Output), withoutNumbers(b.Output)
	}
	return RulesOf(e).Diff(a, b) != "" && RulesOf(unordered).Diff(&x, &y) == ""
}

func withoutNumbers(output []byte) []byte {
	lines := Lines(output)
	for i, line := range lines {
		lines[i] = itemNumber.ReplaceAllString(line, "")
	}
	return []byte(strings.Join(append(lines, ""), "\n"))
}

// Suggest returns lines for example.yaml that would make two runs of an example
// equal, or "".
func Suggest(e lesson.Example, a, b *Evidence) string {
	kinds := slices.Sorted(maps.Keys(Typed))
	sets := [][]string{}
	for _, kind := range kinds {
		sets = append(sets, []string{kind})
	}
	for _, set := range append(sets, kinds) {
		try := e
		try.Masks = slices.Clone(e.Masks)
		for _, kind := range set {
			try.Masks = append(try.Masks, lesson.Mask{Name: kind, Pattern: Typed[kind]})
		}
		if RulesOf(try).diffLines(Lines(a.Output), Lines(b.Output)) == "" {
			return "add to " + e.Dir + "/example.yaml: mask: [" + strings.Join(set, ", ") + "]"
		}
	}
	try := e
	try.Unordered = true
	if RulesOf(try).diffLines(Lines(a.Output), Lines(b.Output)) == "" {
		return "add to " + e.Dir + "/example.yaml: unordered: true"
	}
	return ""
}
