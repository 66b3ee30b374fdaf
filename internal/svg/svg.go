// Package svg writes SVG pictures for HTML pages: escaped text, coordinates that are
// rounded the same way on every machine, a title and a description, and classes for
// the theme instead of styles. Without a theme everything has the colour of the
// surrounding text.
package svg

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Measures in units of a picture. On a phone a unit is about a pixel.
const (
	Width     = 360 // of a picture
	TextTall  = 13
	LineTall  = 16
	CharWide  = 7 // about the width of a letter
	thickness = "2"
	scale     = 1.1 // pixels of a unit, unless the theme says otherwise
)

// Picture is what is drawn, one element a line.
type Picture struct{ body bytes.Buffer }

// Place is where something is drawn.
type Place struct{ X, Y float64 }

// Text writes words at a place; anchor is "start", "middle" or "end".
func (p *Picture) Text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&p.body, "<text%s x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n", attr("class", class), At(x), At(y), anchor, escape(s))
}

// Line draws the path d as a thick line; dash is its stroke-dasharray, "" for
// none.
func (p *Picture) Line(class, dash, d string) {
	fmt.Fprintf(&p.body, "<path class=\"%s\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"%s\"%s d=\"%s\"/>\n", class, thickness, attr("stroke-dasharray", dash), d)
}

// Hair draws the path d as a thin line, for what only helps the eye.
func (p *Picture) Hair(class, d string) {
	fmt.Fprintf(&p.body, "<path class=\"%s\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".4\" d=\"%s\"/>\n", class, d)
}

// Area draws the closed path d, filled as its class says and with an outline.
func (p *Picture) Area(class, dash, d string) {
	fmt.Fprintf(&p.body, "<path class=\"%s\" fill-opacity=\".3\" stroke=\"currentColor\"%s d=\"%s\"/>\n", class, attr("stroke-dasharray", dash), d)
}

// Marks draws the path d, which is relative to where it begins, at each of these
// places. It is one element however many there are.
func (p *Picture) Marks(class, d string, places ...Place) {
	fmt.Fprintf(&p.body, "<path class=\"%s pt\" fill=\"none\" stroke=\"currentColor\" d=\"", class)
	for _, at := range places {
		fmt.Fprintf(&p.body, "M%s %s%s", At(at.X), At(at.Y), d)
	}
	p.body.WriteString("\"/>\n")
}

// Add draws another picture on top.
func (p *Picture) Add(top *Picture) { p.body.Write(top.body.Bytes()) }

// Document returns the whole picture. id begins the ids of title and description,
// id-t and id-d, and is the page's to choose.
func (p *Picture) Document(width, height float64, id, title, description string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" role=\"img\" aria-labelledby=\"%s-t %s-d\" fill=\"currentColor\" font-size=\"%d\">\n", At(width*scale), At(height*scale), At(width), At(height), id, id, TextTall)
	fmt.Fprintf(&out, "<title id=\"%s-t\">%s</title>\n<desc id=\"%s-d\">%s</desc>\n", id, escape(title), id, escape(description))
	out.Write(p.body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// At writes a place with at most one decimal.
func At(v float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// Path writes places into a path, one for each %s.
func Path(format string, places ...float64) string {
	args := make([]any, len(places))
	for i, v := range places {
		args[i] = At(v)
	}
	return fmt.Sprintf(format, args...)
}

// Wide estimates the width of words.
func Wide(s string) float64 { return float64(utf8.RuneCountInString(s) * CharWide) }

// attr writes an attribute, or nothing where it has no value.
func attr(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + value + `"`
}

// escape makes text safe in a picture, which may hold fewer characters than a
// page.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return unicode.ReplacementChar
		}
		return r
	}, s))
}
