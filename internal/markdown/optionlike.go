package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// What people write instead of "- A. ", and how an answer begins that names one
// of such options.
var (
	optionLike = regexp.MustCompile(`^(?:\(?[A-Za-z]\)|[a-z]\.|[A-Za-z]:|[A-Z]\s+[-–—])(?:\s|$)`)
	answerLike = regexp.MustCompile(`^\(?(?:[A-Za-z]|[0-9]{1,2})[.):]?(?:\s|$)`)
)

// checkOptionLike complains about a list that is meant to be the options of a
// question, and is none: the last block before the answer.
func (d containerReader) checkOptionLike(c *container) {
	if len(c.parts.body) == 0 {
		return
	}
	list, ok := c.parts.body[len(c.parts.body)-1].(*ast.List)
	if !ok || list.ChildCount() < 2 {
		return
	}
	named := false
	if len(c.parts.answer) > 0 {
		bold, isBold := boldStart(c.parts.answer[0])
		named = isBold && answerLike.MatchString(d.text(bold))
	}
	what := ""
	switch first := list.FirstChild(); {
	case list.IsOrdered() && named:
		what = "numbers"
	case d.isTask(first):
		what = "boxes"
	case optionLike.MatchString(d.text(first)):
		what = strings.Fields(d.text(first))[0]
	case named:
		what = "no letters"
	}
	if what != "" {
		d.fail(offset(list), c.kind.name, "write - A. and the first option, - B. and the next", "these are not read as options: they begin with %s", what)
	}
}

// isTask reports whether a list item begins with [ ] or [x].
func (d containerReader) isTask(item ast.Node) bool {
	block := item.FirstChild()
	return block != nil && block.FirstChild() != nil && block.FirstChild().Kind() == east.KindTaskCheckBox
}
