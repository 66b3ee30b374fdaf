package quote

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sheet holds the rules of a page's own style sheets that hide text or show it,
// by the last class, id or element name of their selector.
type sheet map[string][]styleRule

// styleRule is one rule of one selector: "p.note#x { display: none }".
type styleRule struct {
	selector   []string // "p", ".note", "#x": an element has all of them
	weight     int      // its specificity, and then its place
	display    setting  // on: none
	visibility setting  // on: hidden
	strikes    bool
}

// setting is how a rule sets a property: not at all, on or off.
type setting int8

const (
	unset setting = iota
	on
	off
)

// settingOf returns how a rule sets a property. afterOff and afterOn are the values
// after the rule of a property that was off or on before it.
func settingOf(afterOff, afterOn bool) setting {
	switch {
	case afterOff != afterOn:
		return unset
	case afterOn:
		return on
	}
	return off
}

// read sets the properties of the rule from its declarations.
func (r *styleRule) read(declarations string) {
	f, _, hidden := inlineStyle(declarations, 0, false, false)
	g, _, stays := inlineStyle(declarations, invisible, false, true)
	r.display = settingOf(hidden, stays)
	r.visibility = settingOf(f&invisible != 0, g&invisible != 0)
	r.strikes = f&struck != 0
}

// The supported selectors: names, classes and ids of one element. Rules that depend
// on other elements, states or media are ignored.
var (
	wholeSelector = regexp.MustCompile(`^(?:[a-zA-Z][\w-]*)?(?:[.#][a-zA-Z_-][\w-]*)*$`)
	selectorPart  = regexp.MustCompile(`[.#]?[\w-]+`)
	hides         = regexp.MustCompile(`(?i)\b(?:display|visibility|text-decoration(?:-line)?)\s*:`)
)

// maxRules bounds the rules that are kept of one page.
const maxRules = 500

// readSheets reads the <style> elements of a page.
func readSheets(tree *html.Node) sheet {
	s := sheet{}
	order := 0
	for n := range tree.Descendants() {
		// A style sheet in noscript is about browsers without scripts.
		if n.DataAtom != atom.Style || n.FirstChild == nil || has(n, "media") || n.Parent.Data == hiddenTag {
			continue
		}
		eachRule(withoutComments(n.FirstChild.Data), func(selectors, declarations string) bool {
			if !hides.MatchString(declarations) {
				return true
			}
			for selector := range strings.SplitSeq(selectors, ",") {
				if order++; order > maxRules {
					return false
				}
				s.add(strings.TrimSpace(selector), declarations, order)
			}
			return true
		})
	}
	return s
}

// eachRule calls f for each rule of a style sheet that is in no @ block, until
// f returns false.
func eachRule(css string, f func(selectors, declarations string) bool) {
	for css != "" {
		selectors, rest, ok := strings.Cut(css, "{")
		if !ok {
			return
		}
		depth, end := 1, len(rest)
		for i := 0; i < len(rest) && depth > 0; i++ {
			switch rest[i] {
			case '{':
				depth++
			case '}':
				depth--
				end = i
			}
		}
		if i := strings.LastIndexByte(selectors, ';'); i >= 0 {
			selectors = selectors[i+1:] // behind an @import
		}
		selectors = strings.TrimSpace(selectors)
		if !strings.HasPrefix(selectors, "@") && !f(selectors, rest[:end]) {
			return
		}
		css = rest[min(end+1, len(rest)):]
	}
}

func (s sheet) add(selector, declarations string, order int) {
	if selector == "" || !wholeSelector.MatchString(selector) {
		return
	}
	r := styleRule{weight: order, selector: selectorPart.FindAllString(selector, -1)}
	r.read(declarations)
	for i, part := range r.selector {
		switch part[0] {
		case '#':
			r.weight += 1 << 40
		case '.':
			r.weight += 1 << 20
		default:
			r.weight += maxRules + 1
			r.selector[i] = strings.ToLower(part)
		}
	}
	key := r.selector[len(r.selector)-1]
	s[key] = append(s[key], r)
}

// apply returns the flags of an element, and whether it is hidden, after the rules
// that match it. Of each property the rule with the highest weight counts. Rules
// for <html> and <body> are ignored, because scripts undo them once a page has
// loaded.
func (s sheet) apply(n *html.Node, f flags, hidden bool) (flags, bool) {
	if len(s) == 0 || n.DataAtom == atom.Html || n.DataAtom == atom.Body {
		return f, hidden
	}
	names := namesOf(n)
	display, visibility := 0, 0 // the weights of the rules that set them
	for _, name := range names {
		for i := range s[name] {
			r := &s[name][i]
			if slices.ContainsFunc(r.selector, func(part string) bool { return !slices.Contains(names, part) }) {
				continue
			}
			if r.display != unset && r.weight > display {
				display, hidden = r.weight, r.display == on
			}
			if r.visibility != unset && r.weight > visibility {
				visibility = r.weight
				f &^= invisible
				if r.visibility == on {
					f |= invisible
				}
			}
			if r.strikes {
				f |= struck
			}
		}
	}
	return f, hidden
}

// namesOf returns the parts of selectors that an element has, each once.
func namesOf(n *html.Node) []string {
	names := []string{n.Data}
	for _, a := range n.Attr {
		switch {
		case a.Namespace != "":
		case a.Key == "id":
			names = append(names, "#"+a.Val)
		case a.Key == "class":
			for class := range strings.FieldsSeq(a.Val) {
				names = append(names, "."+class)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
