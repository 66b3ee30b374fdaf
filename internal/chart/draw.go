package chart

import (
	"fmt"
	"strconv"
	"strings"

	"verbatim/internal/svg"
)

// Measures in units of the picture.
const (
	plotTall = 150
	barTall  = 14
	sample   = 20 // length of a line in the legend
	maxRings = 24 // points of a series that are marked
)

// dashes tell series apart without colour.
var dashes = [maxSeries]string{"", "6 4", "2 3", "10 3 2 3", "14 4", "6 3 2 3 2 3"}

// marks are the shapes at the points of each series, relative to the point.
var marks = [maxSeries]string{
	"m3 0a3 3 0 1 1-6 0a3 3 0 1 1 6 0", "m-3-3 6 6m-6 0 6-6", "m-3-3h6v6h-6z",
	"m0-4 4 4-4 4-4-4z", "m0-4 4 7h-8z", "m-4 0h8m-4-4v8",
}

// class of a series: two colours in turn.
func class(i int) string { return "l" + strconv.Itoa(i%2+1) }

// SVG draws the chart; id begins the ids in it. The theme's classes are ax
// (axis), lim (grid), l1 and l2 (lines), b1 and b2 (bars), pt (points) and ts
// (numbers of the axes).
func (c *Chart) SVG(id string) []byte {
	var p svg.Picture
	height := 0.0
	if c.kind == "bar" {
		height = c.bars(&p)
	} else {
		height = c.lines(&p)
	}
	return p.Document(svg.Width, height, id, c.Title, c.Words())
}

// lines draws a line or step chart and returns its height.
func (c *Chart) lines(p *svg.Picture) float64 {
	low, high := c.series[0].points[0].x, c.series[0].points[0].x
	bottom, top := 0.0, 0.0 // the y axis always shows 0
	for _, s := range c.series {
		for _, q := range s.points {
			low, high = min(low, q.x), max(high, q.x)
			bottom, top = min(bottom, q.y), max(top, q.y)
		}
	}
	if bottom == top {
		top = 1 // nothing but zeros
	}
	x, y := newAxis(low, high, 5, false), newAxis(bottom, top, 5, true)
	head := c.legend(p)
	x.from, x.to = y.widest()+6, svg.Width-max(8, x.widest()/2)
	y.from, y.to = head+plotTall, head
	p.Text("", "start", 0, head-10, c.Head[1])
	for _, t := range y.ticks {
		p.Hair("lim", svg.Path("M%s %sH%s", x.from, y.place(t.value), x.to))
		p.Text("ts", "end", x.from-6, y.place(t.value)+4, t.text)
	}
	p.Hair("ax", svg.Path("M%s %sH%s", x.from, y.place(0), x.to))
	for _, t := range x.ticks {
		p.Text("ts", "middle", x.place(t.value), y.from+15, t.text)
	}
	p.Text("", "end", x.to, y.from+31, c.Head[0])
	for i, s := range c.series {
		c.line(p, i, s, x, y)
	}
	return y.from + 36
}

// legend names the series above the plot, each with its line and its mark, and
// returns where the plot begins.
func (c *Chart) legend(p *svg.Picture) float64 {
	y := 0.0
	for i, s := range c.series {
		if s.name == "" {
			continue
		}
		y += svg.LineTall
		p.Line(class(i), dashes[i], svg.Path("M0 %sh%s", y-5, sample))
		p.Marks(class(i), marks[i], svg.Place{X: sample / 2, Y: y - 5})
		p.Text("", "start", sample+6, y, s.name)
	}
	return y + 2*svg.LineTall
}

// line draws one series. Points that fall on one another are drawn once.
func (c *Chart) line(p *svg.Picture, i int, s series, x, y *axis) {
	var d strings.Builder
	lastX, lastY := "", ""
	for _, q := range s.points {
		px, py := svg.At(x.place(q.x)), svg.At(y.place(q.y))
		switch {
		case px == lastX && py == lastY:
			continue
		case d.Len() == 0:
			fmt.Fprintf(&d, "M%s %s", px, py)
		case c.kind == "step":
			fmt.Fprintf(&d, "H%sV%s", px, py)
		default:
			fmt.Fprintf(&d, "L%s %s", px, py)
		}
		lastX, lastY = px, py
	}
	p.Line(class(i), dashes[i], d.String())
	if len(s.points) > maxRings {
		return
	}
	places := make([]svg.Place, len(s.points))
	for n, q := range s.points {
		places[n] = svg.Place{X: x.place(q.x), Y: y.place(q.y)}
	}
	p.Marks(class(i), marks[i], places...)
}

// bars draws a bar chart: a row for each category, its name above its bars,
// and at the end of each bar its value and series.
func (c *Chart) bars(p *svg.Picture) float64 {
	low, high, label := 0.0, 0.0, 0.0
	for _, s := range c.series {
		for _, q := range s.points {
			low, high = min(low, q.y), max(high, q.y)
			label = max(label, svg.Wide(barLabel(q, s)))
		}
	}
	if low == high {
		high = 1 // nothing but zeros
	}
	x := newAxis(low, high, 4, true)
	x.from, x.to = x.widest()/2, max(svg.Width/3, svg.Width-label-8)
	p.Text("", "start", 0, svg.LineTall, c.Head[1])
	y := 2.0 * svg.LineTall
	for i, name := range c.categories {
		p.Text("", "start", 4, y+12, name)
		y = c.group(p, i, x, y+svg.LineTall)
	}
	for _, t := range x.ticks {
		p.Text("ts", "middle", x.place(t.value), y+14, t.text)
	}
	return y + 20
}

// group draws the bars of one category below y, with their own piece of the axis
// so that it crosses no name, and returns where the next begins.
func (c *Chart) group(p *svg.Picture, category int, x *axis, y float64) float64 {
	top := y
	for i, s := range c.series {
		for _, q := range s.points {
			if int(q.x) != category {
				continue
			}
			from, to := min(x.place(0), x.place(q.y)), max(x.place(0), x.place(q.y))
			p.Area(fmt.Sprintf("b%d", i%2+1), dashes[i], svg.Path("M%s %sH%sv%sH%sZ", from, y, to, barTall-3, from))
			p.Text("ts", "start", to+5, y+barTall-3, barLabel(q, s))
			y += barTall
		}
	}
	p.Hair("ax", svg.Path("M%s %sV%s", x.place(0), top-2, y))
	return y + 4
}

func barLabel(q point, s series) string {
	return strings.TrimSpace(q.yText + " " + s.name)
}
