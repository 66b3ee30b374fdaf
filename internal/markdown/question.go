package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"verbatim/internal/lesson"
)

// optionStart is the letter that an option, or the reason for it, begins with.
var optionStart = regexp.MustCompile(`^([A-Z])\.(?:\s+|$)`)

// keyStart is what the bold letter before the right answer looks like.
var keyStart = regexp.MustCompile(`^([A-Z])\.?$`)

func (d containerReader) finishPredict(c *container) {
	d.finishQuestion(c)
	step := c.fact.Attr["answered-at"]
	if step == "" {
		return
	}
	if n, err := strconv.Atoi(step); err != nil || n < 1 {
		d.fail(c.attributeAt("answered-at"), "predict", "write the number of one step", "answered-at=%s is not a step", step)
	}
}

func (d containerReader) finishQuestion(c *container) {
	q := questionReader(d)
	before, folds, after := d.folds(c, c.parts.body)
	c.parts.body, c.parts.after = before, after
	for i, n := range before {
		if list, ok := n.(*ast.List); ok && q.optionLetter(list.FirstChild()) != "" {
			c.parts.body = before[:i]
			q.readOptions(c, list)
			if len(folds) > 0 {
				q.refuseBetween(c, before[i+1:])
			}
			break
		}
	}
	c.fact.Stem = d.text(c.parts.body...)
	if c.fact.Stem == "" {
		d.fail(offset(c), c.kind.name, "", "this %s asks nothing", c.kind.name)
	}
	if len(folds) != 1 || !strings.EqualFold(folds[0].title, "answer") {
		d.fail(offset(c), c.kind.name, "fold it: <details><summary>Answer</summary>, a blank line, the answer, a blank line, </details>",
			"this %s needs one fold named Answer", c.kind.name)
		return
	}
	c.parts.answer = folds[0].nodes
	if len(c.fact.Options) == 0 {
		c.fact.Answer, c.fact.AnswerShown = d.text(c.parts.answer...), d.unstruck(c.parts.answer...)
		d.checkOptionLike(c)
		return
	}
	q.readKey(c)
	q.readReasons(c, folds[0].at)
	if c.fact.Attr["check"] == "" && c.fact.Attr["unverified"] == "" {
		d.fail(offset(c), c.kind.name, `name the value that proves it, check="example#value", or say why there is none, unverified="why"`,
			"nothing proves the answer of this %s", c.kind.name)
	}
}

// refuseBetween reports text between the options and the fold.
func (d questionReader) refuseBetween(c *container, nodes []ast.Node) {
	for _, n := range nodes {
		d.fail(offset(n), c.kind.name, "move it before the options", "this stands between the options and the answer")
	}
	c.parts.after = append(nodes, c.parts.after...)
}

// optionLetter returns the letter that a list item begins with, or "".
func (d questionReader) optionLetter(item ast.Node) string {
	m := optionStart.FindStringSubmatch(d.itemStart(item))
	if m == nil {
		return ""
	}
	return m[1]
}

// itemStart returns the source text with which a list item begins, up to its
// first markup.
func (d questionReader) itemStart(item ast.Node) string {
	if item == nil || item.FirstChild() == nil {
		return ""
	}
	var start strings.Builder
	for n := item.FirstChild().FirstChild(); n != nil; n = n.NextSibling() {
		t, ok := n.(*ast.Text)
		if !ok {
			break
		}
		start.Write(t.Value(d.src))
	}
	return start.String()
}

// takeLetter removes that letter. The parser may have cut the text after it
// into several nodes.
func (d questionReader) takeLetter(item ast.Node) {
	cut := len(optionStart.FindString(d.itemStart(item)))
	block := item.FirstChild()
	for cut > 0 {
		t := block.FirstChild().(*ast.Text)
		n := min(cut, t.Segment.Len())
		cut -= n
		t.Segment = text.NewSegment(t.Segment.Start+n, t.Segment.Stop)
		if t.Segment.Len() == 0 {
			block.RemoveChild(block, t)
		}
	}
}

func (d questionReader) readOptions(c *container, list *ast.List) {
	ordered := true
	for i, item := range childrenOf(list) {
		want := string(rune('A' + i))
		letter := d.optionLetter(item)
		if letter != want && ordered {
			d.fail(offset(item), c.kind.name, "write - "+want+". and the option", "option %s is missing or out of order", want)
			ordered = false
		}
		if letter == "" {
			continue
		}
		pos := d.at(item)
		d.takeLetter(item)
		c.parts.options = append(c.parts.options, option{letter: letter, item: item})
		c.fact.Options = append(c.fact.Options, lesson.Option{Pos: pos, Letter: letter, Text: d.text(item), Shown: d.unstruck(item)})
	}
}

// readKey takes the letter of the right answer off the fold's first paragraph.
func (d questionReader) readKey(c *container) {
	var m []string
	if len(c.parts.answer) > 0 {
		if bold, ok := boldStart(c.parts.answer[0]); ok {
			m = keyStart.FindStringSubmatch(d.text(bold))
		}
	}
	if m == nil {
		d.fail(offset(c), c.kind.name, "begin the answer with the bold letter: **B.** and why", "the answer does not say which option is right")
		return
	}
	containerReader(d).takeBold(c.parts.answer[0])
	c.fact.Key = m[1]
	if _, ok := c.option(m[1]); !ok {
		d.fail(offset(c.parts.answer[0]), c.kind.name, "", "the answer is %s, which is not among the options", m[1])
	}
}

// option returns the index of the option with that letter.
func (c *container) option(letter string) (int, bool) {
	for i, o := range c.fact.Options {
		if o.Letter == letter {
			return i, true
		}
	}
	return 0, false
}

// readReasons moves the list of reasons in the answer to the options that they
// are about.
func (d questionReader) readReasons(c *container, at int) {
	var answer []ast.Node
	for _, n := range c.parts.answer {
		list, ok := n.(*ast.List)
		if !ok || d.optionLetter(list.FirstChild()) == "" {
			answer = append(answer, n)
			continue
		}
		for _, item := range childrenOf(list) {
			d.readReason(c, item)
		}
	}
	c.parts.answer = answer
	c.fact.Answer = d.text(answer...)
	for i := range c.fact.Options {
		o := &c.fact.Options[i]
		if o.Letter == c.fact.Key {
			o.Reason = c.fact.Answer
		}
		if o.Reason == "" {
			d.fail(at, c.kind.name, "add a line to the answer: - "+o.Letter+". and the reason", "the answer does not explain option %s", o.Letter)
		}
	}
}

func (d questionReader) readReason(c *container, item ast.Node) {
	letter, at := d.optionLetter(item), offset(item)
	i, ok := c.option(letter)
	switch {
	case letter == "":
		d.fail(at, c.kind.name, "write - A. and the reason", "this reason does not say which option it is about")
	case !ok:
		d.fail(at, c.kind.name, "", "a reason for %s, which is not among the options", letter)
	case letter == c.fact.Key:
		d.fail(at, c.kind.name, "put it behind the bold letter", "%s is the answer, so its reason is not listed", letter)
	case c.parts.options[i].reason != nil:
		d.fail(at, c.kind.name, "", "a second reason for %s", letter)
	default:
		d.takeLetter(item)
		c.parts.options[i].reason = item
		c.fact.Options[i].Reason = d.text(item)
	}
}

// checkQuestions warns about what makes a question easy to guess or hard to
// read.
func (d questionReader) checkQuestions() {
	keys := map[string]int{}
	var asked []*container
	for _, c := range d.containers {
		if c.fact.Key == "" {
			continue
		}
		d.lintQuestion(c)
		if c.fact.Kind == "question" {
			asked = append(asked, c)
			keys[c.fact.Key]++
		}
	}
	if len(asked) > 2 && len(keys) == 1 {
		d.warn(offset(asked[0]), "question", "%s is the answer to every question", asked[0].fact.Key)
	}
}

var notInStem = regexp.MustCompile(`\bNOT\b`)

// lintQuestion holds the question lints of the lesson format.
func (d questionReader) lintQuestion(c *container) {
	at, check := offset(c), c.kind.name
	options := c.fact.Options
	if len(options) < 3 || len(options) > 5 {
		d.warn(at, check, "%d options; 3 to 5 are best", len(options))
	}
	if notInStem.MatchString(c.fact.Stem) {
		d.warn(at, check, "NOT in a question is read over: ask for what is the case")
	}
	seen := map[string]string{}
	longest, key := 0, ""
	for _, o := range options {
		words := strings.ToLower(o.Text)
		if other, ok := seen[words]; ok {
			d.problems.Warn(o.Pos, check, "option %s says the same as %s", o.Letter, other)
		}
		seen[words] = o.Letter
		if o.Letter == c.fact.Key {
			key = o.Text
			continue
		}
		longest = max(longest, utf8.RuneCountInString(words))
	}
	// Short answers, numbers above all, differ in length for no reason.
	if n := utf8.RuneCountInString(key); n > 12 && 4*n > 5*longest {
		d.warn(at, check, "the right option is the longest by more than 25 %%, which gives it away")
	}
	if len(strings.Fields(key)) > 1 && strings.Contains(strings.ToLower(c.fact.Stem), strings.ToLower(key)) {
		d.warn(at, check, "the right option already stands in the question")
	}
}
