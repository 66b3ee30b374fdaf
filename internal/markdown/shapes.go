package markdown

import "strings"

// Shape is something that an author may write beyond plain Markdown.
type Shape struct {
	Name string   // of a container, or the language of a fence; "" is any language
	Keys []string // what may stand in its braces; "#" is an id
}

// Containers lists every container of the lesson format with its keys.
func Containers() (all []Shape) {
	for _, k := range kinds {
		all = append(all, Shape{k.name, strings.Fields(k.keys)})
	}
	return all
}

// Fences lists every fence that means more than code, with its keys.
func Fences() (all []Shape) {
	for _, f := range markedFences {
		all = append(all, Shape{f.language, f.keys})
	}
	return append(all, Shape{Name: "mermaid"})
}
