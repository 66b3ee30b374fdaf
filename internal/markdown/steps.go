package markdown

import (
	"strconv"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// linkAnalogy finds the rows of the analogy that belong beside each step.
func (d containerReader) linkAnalogy(steps *container) {
	if steps == nil || steps.fact.Attr["analogy"] == "" {
		return
	}
	id := steps.fact.Attr["analogy"]
	var ids []string
	for _, c := range d.containers {
		if c.fact.Kind != "analogy" {
			continue
		}
		ids = append(ids, c.fact.ID)
		if c.fact.ID == id {
			steps.parts.analogy = c
		}
	}
	if steps.parts.analogy == nil {
		d.fail(steps.attributeAt("analogy"), "steps", problem.DidYouMean(id, ids), "no analogy %q in this lesson", id)
		return
	}
	rows := len(steps.parts.analogy.fact.Rows)
	if rows > maxLikes/max(1, len(steps.parts.likes)) {
		d.fail(offset(steps), "steps", "shorten either", "%d steps and %d lines of an analogy give more than %d lines beside steps",
			len(steps.parts.likes), rows, maxLikes)
		return
	}
	for n := range steps.parts.likes {
		for i, row := range steps.parts.analogy.fact.Rows {
			if covers(row.Steps, n+1) {
				steps.parts.likes[n] = append(steps.parts.likes[n], i)
			}
		}
	}
}

// checkSteps complains about every step number that no step has.
func (d containerReader) checkSteps() {
	steps := 0
	for _, c := range d.containers {
		steps = max(steps, c.fact.Steps)
	}
	for _, c := range d.containers {
		d.checkRanges(c.fact.Supports, steps)
		for _, row := range c.fact.Rows {
			d.checkRanges(row.Steps, steps)
		}
		if n, err := strconv.Atoi(c.fact.Attr["answered-at"]); err == nil && n > 0 {
			at := d.pos(c.attributeAt("answered-at"))
			d.checkRanges([]lesson.Range{{From: n, To: n, Pos: at}}, steps)
		}
	}
}

func (d containerReader) checkRanges(ranges []lesson.Range, steps int) {
	for _, r := range ranges {
		switch {
		case r.To <= steps:
		case steps == 0:
			d.problems.Add(r.Pos, "steps", "step %d: this lesson has no steps", r.To)
		default:
			d.problems.Add(r.Pos, "steps", "no step %d: the last one is %d", r.To, steps)
		}
	}
}
