package markdown

import "strings"

// attribute is one word between braces: #id, which has the key "#", or
// key=value. at is the offset of its first byte in the body.
type attribute struct {
	key, value string
	at         int
}

// mistake is what is wrong with a list of attributes, and where.
type mistake struct {
	at         int
	text, hint string
}

// parseAttributes reads `{#id key=value key="two words"}`, which begins at
// offset at and is all of s but for white space. Text without an opening brace
// is a mistake, no text at all is not.
func parseAttributes(s string, at int) ([]attribute, *mistake) {
	trimmed := strings.TrimLeft(s, " \t")
	at += len(s) - len(trimmed)
	s = strings.TrimRight(trimmed, " \t\r\n")
	if s == "" {
		return nil, nil
	}
	if s[0] != '{' {
		return nil, &mistake{at, "text after the name", "write what belongs to it in braces, {#id key=\"value\"}, and all else on a line of its own"}
	}
	var attrs []attribute
	for i := 1; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '}':
			if rest := s[i+1:]; strings.TrimSpace(rest) != "" {
				return attrs, &mistake{at + i + 1, "text after the closing brace", ""}
			}
			return attrs, nil
		default:
			a, n := parseAttribute(s[i:], at+i)
			if n == 0 {
				return attrs, &mistake{at + i, "not an attribute", "write #id, key=value or key=\"two words\""}
			}
			attrs = append(attrs, a)
			i += n
		}
	}
	return attrs, &mistake{at, "the brace is never closed", "end the line with }"}
}

// parseAttribute reads one attribute at the start of s and returns its length,
// 0 when there is none.
func parseAttribute(s string, at int) (attribute, int) {
	word := s
	if end := strings.IndexAny(s, " \t}"); end >= 0 {
		word = s[:end]
	}
	if id, ok := strings.CutPrefix(word, "#"); ok {
		if id == "" {
			return attribute{}, 0
		}
		return attribute{"#", id, at}, len(word)
	}
	key, _, ok := strings.Cut(s, "=")
	if !ok || key == "" || strings.ContainsAny(key, " \t}\"") {
		return attribute{}, 0
	}
	n := len(key) + 1
	if !strings.HasPrefix(s[n:], `"`) {
		return attribute{key, word[n:], at}, len(word)
	}
	var value strings.Builder
	for i := n + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			value.WriteByte(s[i])
		case s[i] == '"':
			return attribute{key, value.String(), at}, i + 1
		default:
			value.WriteByte(s[i])
		}
	}
	return attribute{}, 0
}
