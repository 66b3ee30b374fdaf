package markdown

// Allowed reports whether an author's element may have an attribute.
func Allowed(name, attribute string) bool {
	e, ok := elements[name]
	if !ok {
		return false
	}
	_, ok = e.attribute(attribute)
	return ok
}
