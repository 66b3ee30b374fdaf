// Package yamldoc decodes a YAML file into a struct. Every key has a position. An
// unknown key is a problem that names the nearest known key, and a value of the wrong
// type is one problem at its line.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"verbatim/internal/problem"
)

// Lenient says what an unknown key is. With Lenient a key near none of ours is
// a warning, since other tools may own it; without, each unknown key is a
// problem.
type Lenient bool

// BOM is the byte-order mark that some editors put before a file's first byte.
const BOM = "\ufeff"

const check = "yaml"

// Decode reads src, one YAML mapping, into the struct that out points to. Its
// fields carry `yaml:"key"` tags. file and before (the lines that stand before
// src in the file) give positions their line. It returns the place of every
// key that was present, and all problems found: the struct holds whatever
// could be read.
func Decode(file string, before int, src []byte, out any, lenient Lenient) (map[string]problem.Pos, problem.List) {
	var ps problem.List
	places := map[string]problem.Pos{}
	src = bytes.TrimPrefix(src, []byte(BOM))

	var root yaml.Node
	if err := unmarshal(src, &root); err != nil {
		line, text := syntaxError(err)
		ps.Add(problem.Pos{File: file, Line: before + line, Col: 1}, check, "%s", text)
		return places, ps
	}
	if root.Kind == 0 {
		return places, nil // an empty document
	}
	at := func(n *yaml.Node) problem.Pos {
		return problem.Pos{File: file, Line: before + n.Line, Col: n.Column}
	}
	mapping := root.Content[0]
	if mapping.Kind == yaml.ScalarNode && mapping.Tag == "!!null" {
		return places, nil
	}
	if mapping.Kind != yaml.MappingNode {
		ps.Add(at(mapping), check, "expected lines of the form \"key: value\"")
		return places, ps
	}
	fields, names := fieldsOf(out)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if _, twice := places[key.Value]; twice {
			ps.Add(at(key), check, "key %q stands twice", key.Value)
			continue
		}
		places[key.Value] = at(key)
		field, known := fields[key.Value]
		if !known {
			unknownKey(&ps, at(key), key.Value, names, lenient)
			continue
		}
		if err := decodeValue(value, field); err != nil {
			ps.Add(at(value), check, "%s: %s", key.Value, valueError(err, field.Type()))
		}
	}
	return places, ps
}

// Encode writes v as YAML: the same value always has the same bytes.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode yaml: %w", err)
	}
	return b.Bytes(), e.Close()
}

// unmarshal turns a panic of the parser, which arbitrary bytes have caused in
// the past, into an error.
func unmarshal(src []byte, root *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return yaml.Unmarshal(src, root)
}

func decodeValue(n *yaml.Node, field reflect.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if n.Kind == yaml.ScalarNode && field.Kind() == reflect.String {
		field.SetString(n.Value) // a date or a number is text here, as written
		return nil
	}
	return n.Decode(field.Addr().Interface())
}

func unknownKey(ps *problem.List, pos problem.Pos, key string, names []string, lenient Lenient) {
	hint := problem.DidYouMean(key, names)
	switch {
	case bool(lenient) && hint == "":
		ps.Warn(pos, check, "unknown key %q is ignored", key)
	case hint == "":
		ps.AddHint(pos, check, "known keys: "+strings.Join(names, ", "), "unknown key %q", key)
	default:
		ps.AddHint(pos, check, hint, "unknown key %q", key)
	}
}

// fieldsOf returns the struct's fields by their yaml names, and those names in
// the order they are declared.
func fieldsOf(out any) (map[string]reflect.Value, []string) {
	v := reflect.ValueOf(out).Elem()
	fields, names := map[string]reflect.Value{}, []string{}
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("yaml")
		name, _, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" {
			continue
		}
		fields[name] = v.Field(i)
		names = append(names, name)
	}
	return fields, names
}

var lineInError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// syntaxError splits "yaml: line 3: did not find …" into its parts. The
// parser counts the line where it gave up, which is near enough.
func syntaxError(err error) (line int, text string) {
	m := lineInError.FindStringSubmatch(firstLine(err.Error()))
	line, _ = strconv.Atoi(m[1])
	return max(line, 1), "not YAML: " + m[2]
}

func valueError(err error, t reflect.Type) string {
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) {
		return "expected " + kindName(t)
	}
	_, text := syntaxError(err)
	return strings.TrimPrefix(text, "not YAML: ")
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "lines of the form \"key: value\""
	}
	return "text"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Item is an entry of a list that is either text or a mapping of texts. Line
// counts within the decoded source; add the lines before it.
type Item struct {
	Text      string            // the entry, when it is text
	Fields    map[string]string // its keys, when it is a mapping
	Line, Col int
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (i *Item) UnmarshalYAML(n *yaml.Node) error {
	i.Line, i.Col = n.Line, n.Column
	if n.Kind == yaml.ScalarNode {
		i.Text = n.Value
		return nil
	}
	return n.Decode(&i.Fields)
}
