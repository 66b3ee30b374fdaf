package sequence

import (
	"slices"
	"strings"
	"unicode/utf8"

	"verbatim/internal/svg"
)

// Measures in units of the picture.
const (
	column = 110 // between two participants: two fit on a phone beside a step's number
	gap    = 10  // between two events
	loop   = 24  // how far a message to oneself reaches
)

// canvas is a diagram being drawn.
type canvas struct {
	svg.Picture // all but the lines of participants, which lie below it
	d           *Diagram
	width       float64
	y           float64
	ends        map[*actor]float64 // where the line of an ended participant ends
}

// SVG draws the diagram; id begins the ids in it. The theme's classes are lim
// (the line of a participant), l1 (messages), l2 (answers), over (notes) and ts (their text).
func (d *Diagram) SVG(id string) []byte {
	c := &canvas{d: d, width: float64(max(2, len(d.actors)) * column), ends: map[*actor]float64{}}
	head := c.head()
	for _, e := range d.events {
		c.event(e)
	}
	c.y += gap
	var all svg.Picture
	for i, a := range d.actors {
		end, ended := c.ends[a]
		if !ended {
			end = c.y
		}
		all.Hair("lim", svg.Path("M%s %sV%s", c.x(i), head, end))
	}
	all.Add(&c.Picture)
	return all.Document(c.width, c.y, id, d.Title(), d.Words())
}

// x returns the place of the participant with index i.
func (c *canvas) x(i int) float64 {
	return c.width / float64(len(c.d.actors)) * (float64(i) + 0.5)
}

func (c *canvas) of(a *actor) float64 { return c.x(slices.Index(c.d.actors, a)) }

// head writes the names, and returns where the lines below them begin.
func (c *canvas) head() float64 {
	room := c.width / float64(len(c.d.actors))
	tallest := 0
	for i, a := range c.d.actors {
		name := wrap([]string{a.name}, room)
		tallest = max(tallest, len(name))
		for j, line := range name {
			c.Text("", "middle", c.x(i), float64((j+1)*svg.LineTall), line)
		}
	}
	c.y = float64(tallest*svg.LineTall) + 6
	return c.y
}

func (c *canvas) event(e event) {
	c.y += gap
	switch {
	case e.to == nil:
		c.note(e)
	case e.from == e.to:
		c.self(e)
	default:
		c.message(e)
	}
	for _, a := range e.ends {
		x := c.of(a)
		c.Line("l1", "", svg.Path("M%s %sl10 10m0-10-10 10", x-5, c.y+4))
		c.y += 18
		c.ends[a] = c.y - 9
	}
}

// lines writes text around x, going down.
func (c *canvas) lines(class, anchor string, x float64, text []string) {
	for _, line := range text {
		c.y += svg.LineTall
		c.Text(class, anchor, x, c.y-4, line)
	}
}

func style(e event) (class, dash string) {
	if e.answer {
		return "l2", "5 4"
	}
	return "l1", ""
}

// message draws an arrow with its text above. A lost one ends in a cross
// before it arrives.
func (c *canvas) message(e event) {
	from, to := c.of(e.from), c.of(e.to)
	direction := 1.0
	if to < from {
		direction = -1
	}
	c.lines("", "middle", (from+to)/2, wrap(e.text, max(from-to, to-from)-8))
	c.y += 4
	class, dash := style(e)
	if e.lost {
		to -= direction * 14
	}
	c.Line(class, dash, svg.Path("M%s %sH%s", from, c.y, to))
	if e.lost {
		c.Line(class, "", svg.Path("M%s %sl10 10m0-10-10 10", to-5, c.y-5))
		return
	}
	c.Line(class, "", svg.Path("M%s %sL%s %sL%s %s", to-direction*7, c.y-4, to, c.y, to-direction*7, c.y+4))
}

// self draws a message of a participant to itself, at the side with more room.
func (c *canvas) self(e event) {
	x, side, anchor := c.of(e.from), 1.0, "start"
	room := c.width - x
	if x > c.width/2 {
		side, anchor, room = -1, "end", x
	}
	start := c.y
	c.lines("", anchor, x+side*(loop+6), wrap(e.text, room-loop-6))
	c.y = max(c.y, start+svg.LineTall)
	class, dash := style(e)
	c.Line(class, dash, svg.Path("M%s %sh%sV%sH%s", x, start+2, side*loop, c.y-2, x+side))
	c.Line(class, "", svg.Path("M%s %sL%s %sL%s %s", x+side*7, c.y-6, x, c.y-2, x+side*7, c.y+2))
	if e.lost {
		c.Line(class, "", svg.Path("M%s %sl10 10m0-10-10 10", x+side*loop-5, start+3))
	}
}

// note draws a box over one participant, or from one to another.
func (c *canvas) note(e event) {
	left, right := c.of(e.over[0]), c.of(e.over[len(e.over)-1])
	left, right = min(left, right), max(left, right)
	half := c.width/float64(len(c.d.actors))/2 - 4
	left, right = left-half, right+half
	top := c.y
	text := wrap(e.text, right-left-8)
	bottom := top + float64(len(text)*svg.LineTall) + 4
	c.Area("over", "", svg.Path("M%s %sH%sV%sH%sZ", left, top, right, bottom, left))
	c.lines("ts", "middle", (left+right)/2, text)
	c.y = bottom
}

// wrap breaks lines at spaces so that they fit into a width. A word that is too
// long for it stays whole.
func wrap(text []string, width float64) (out []string) {
	for _, line := range text {
		current := ""
		for _, word := range strings.Fields(line) {
			longer := strings.TrimSpace(current + " " + word)
			if current != "" && float64(utf8.RuneCountInString(longer)*svg.CharWide) > width {
				out = append(out, current)
				longer = word
			}
			current = longer
		}
		out = append(out, current)
	}
	return out
}
