// Package sequence draws sequence diagrams in Mermaid's syntax as SVG, with the same
// messages in sentences. It supports participants, messages and notes. Any other
// statement of a sequenceDiagram is a problem at its line.
package sequence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// Bounds of what can be read.
const (
	maxActors = 8
	maxEvents = 60
	maxLines  = 1000 // to be read at all: each is compared with what came before
)

// Diagram is who says what to whom, in order.
type Diagram struct {
	actors []*actor
	events []event
}

type actor struct {
	id, name string
	ended    bool // destroyed, as far as it was read
}

// event is one thing that happens: a message, or a note when to is nil.
type event struct {
	from, to *actor
	answer   bool // a broken line
	lost     bool // it never arrives
	over     []*actor
	text     []string // its lines
	ends     []*actor // whose life ends with it
}

// statement is one kind of line.
type statement struct {
	form *regexp.Regexp
	read func(*reader, []string) string // says what is wrong
}

// name is what a participant may be called. The first of a line ends as soon
// as it can: "-x" may be part of a name, and is an arrow where it can be one.
const (
	name      = `[\pL\pN_](?:[\pL\pN_ .'-]*[\pL\pN_.'])?`
	firstName = `[\pL\pN_](?:[\pL\pN_ .'-]*?[\pL\pN_.'])??`
)

// statements are all that is drawn; the first whose form fits is the one.
var statements = []statement{
	{regexp.MustCompile(`^(?:participant|actor)\s+(` + firstName + `)(?:\s+as\s+(\S.*))?$`), (*reader).participant},
	{regexp.MustCompile(`^destroy\s+(` + name + `)$`), (*reader).destroy},
	{regexp.MustCompile(`^(?i:note)\s+over\s+([^:]+):\s*(\S.*)$`), (*reader).note},
	{regexp.MustCompile(`^(` + firstName + `)\s*(-->>|->>|--x|-x)\s*(` + name + `)\s*:\s*(.*)$`), (*reader).message},
}

const known = "drawn are: participant A as name, A->>B: text, A-->>B: text, A-xB: text, A--xB: text, Note over A,B: text, destroy A"

// reader is a diagram being read.
type reader struct {
	d      *Diagram
	ending []*actor // destroyed with the next event that they are part of
}

// IsSequence reports whether a fence holds a sequence diagram, by its first word.
func IsSequence(m lesson.Mermaid) bool {
	for _, line := range m.Lines {
		if text := clean(line.Text); text != "" {
			return text == "sequenceDiagram"
		}
	}
	return false
}

// Read reads a fence. Of another kind of diagram there is a warning; where
// there are problems, or a warning, there is no diagram.
func Read(m lesson.Mermaid) (*Diagram, problem.List) {
	var ps problem.List
	if !IsSequence(m) {
		ps.Warn(m.Pos, "mermaid", "only a sequenceDiagram is drawn; this fence is shown as code")
		return nil, ps
	}
	if n := len(m.Lines); n > maxLines {
		ps.Add(m.Pos, "mermaid", "%d lines: a diagram has at most %d", n, maxLines)
		return nil, ps
	}
	r := &reader{d: &Diagram{}}
	begun := false
	for _, line := range m.Lines {
		text := clean(line.Text)
		switch {
		case text == "":
		case !begun:
			begun = true
		default:
			if wrong, hint := r.line(text); wrong != "" {
				ps.AddHint(line.Pos, "mermaid", hint, "%s", wrong)
			}
		}
	}
	for _, a := range r.ending {
		ps.AddHint(m.Pos, "mermaid", "let the message that ends it follow", "%q is destroyed by no message", a.name)
	}
	switch d := r.d; {
	case len(ps) > 0:
	case len(d.events) == 0:
		ps.Add(m.Pos, "mermaid", "this diagram has no message")
	case len(d.actors) > maxActors || len(d.events) > maxEvents:
		ps.Add(m.Pos, "mermaid", "%d participants and %d events: nobody reads more than %d and %d", len(d.actors), len(d.events), maxActors, maxEvents)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return r.d, nil
}

// clean takes comments and white space off a line.
func clean(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "%%") {
		return ""
	}
	return line
}

// line reads one statement, or says what is wrong with it.
func (r *reader) line(text string) (wrong, hint string) {
	for _, s := range statements {
		if m := s.form.FindStringSubmatch(text); m != nil {
			return s.read(r, m), ""
		}
	}
	return fmt.Sprintf("cannot draw %q", text), known
}

func (r *reader) participant(m []string) string {
	if r.find(m[1]) != nil {
		return fmt.Sprintf("a second participant %q", m[1])
	}
	a := r.actor(m[1])
	if m[2] != "" {
		a.name = strings.Join(lines(m[2]), " ")
	}
	return ""
}

func (r *reader) destroy(m []string) string {
	a := r.find(m[1])
	if a == nil {
		return fmt.Sprintf("no participant %q", m[1])
	}
	if slices.Contains(r.ending, a) || a.ended {
		return fmt.Sprintf("%q is destroyed twice", m[1])
	}
	r.ending = append(r.ending, a)
	return ""
}

func (r *reader) note(m []string) string {
	e := event{text: lines(m[2])}
	for id := range strings.SplitSeq(m[1], ",") {
		id = strings.TrimSpace(id)
		if id == "" || len(e.over) == 2 {
			return "a note stands over one participant, or from one to another"
		}
		e.over = append(e.over, r.actor(id))
	}
	return r.happen(e, e.over)
}

func (r *reader) message(m []string) string {
	e := event{
		from: r.actor(m[1]), to: r.actor(m[3]),
		answer: strings.HasPrefix(m[2], "--"), lost: strings.HasSuffix(m[2], "x"),
	}
	if m[4] != "" {
		e.text = lines(m[4])
	}
	return r.happen(e, []*actor{e.from, e.to})
}

// happen adds an event that the given participants are part of.
func (r *reader) happen(e event, parties []*actor) string {
	for _, a := range parties {
		if a.ended {
			return fmt.Sprintf("%q takes part after its end", a.name)
		}
	}
	if e.from != nil { // a note ends nobody
		for _, a := range slices.Clone(r.ending) {
			if slices.Contains(parties, a) {
				a.ended = true
				e.ends = append(e.ends, a)
				r.ending = slices.DeleteFunc(r.ending, func(b *actor) bool { return a == b })
			}
		}
	}
	r.d.events = append(r.d.events, e)
	return ""
}

// lineBreak is how Mermaid breaks lines.
var lineBreak = regexp.MustCompile(`(?i)\s*<br\s*/?>\s*`)

func lines(text string) []string { return lineBreak.Split(strings.TrimSpace(text), -1) }

func (r *reader) find(id string) *actor {
	for _, a := range r.d.actors {
		if a.id == id {
			return a
		}
	}
	return nil
}

// actor returns the participant with that id; naming one is enough to have it.
func (r *reader) actor(id string) *actor {
	if a := r.find(id); a != nil {
		return a
	}
	a := &actor{id: id, name: id}
	r.d.actors = append(r.d.actors, a)
	return a
}

// Title names the participants.
func (d *Diagram) Title() string {
	names := make([]string, len(d.actors))
	for i, a := range d.actors {
		names[i] = a.name
	}
	return "Messages between " + strings.Join(names, ", ")
}

// Words returns a sentence for each event.
func (d *Diagram) Words() string {
	var all []string
	for _, e := range d.events {
		all = append(all, e.words())
		for _, a := range e.ends {
			all = append(all, a.name+" ends.")
		}
	}
	return strings.Join(all, " ")
}

func (e event) words() string {
	text := strings.Join(e.text, " ")
	if e.to == nil {
		where := e.over[0].name
		if len(e.over) > 1 {
			where += " to " + e.over[1].name
		}
		return "Note at " + where + ": " + text + "."
	}
	verb, lost := "to", ""
	if e.answer {
		verb = "answers"
	}
	if e.lost {
		lost = ", lost on the way"
	}
	if text != "" {
		text = ": " + text
	}
	return e.from.name + " " + verb + " " + e.to.name + lost + text + "."
}
