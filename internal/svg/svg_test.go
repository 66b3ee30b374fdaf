package svg_test

import (
	"testing"

	"verbatim/internal/svg"
)

func TestDocument(t *testing.T) {
	var p svg.Picture
	p.Text("ts", "end", 1.04, -0.04, "a < b & \x00")
	p.Line("l1", "", "M0 0")
	p.Line("l2", "6 4", "M0 0")
	p.Hair("ax", "M0 0")
	p.Area("b1", "", "M0 0Z")
	p.Marks("l1", "m0 0h1", svg.Place{X: 2, Y: 3.25}, svg.Place{X: 4})
	want := `<svg width="396" height="44.6" viewBox="0 0 360 40.5" role="img" aria-labelledby="v-1-t v-1-d" fill="currentColor" font-size="13">
<title id="v-1-t">T&lt;</title>
<desc id="v-1-d">D&#34;</desc>
<text class="ts" x="1" y="0" text-anchor="end">a &lt; b &amp; ` + "\uFFFD" + `</text>
<path class="l1" fill="none" stroke="currentColor" stroke-width="2" d="M0 0"/>
<path class="l2" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="6 4" d="M0 0"/>
<path class="ax" fill="none" stroke="currentColor" stroke-opacity=".4" d="M0 0"/>
<path class="b1" fill-opacity=".3" stroke="currentColor" d="M0 0Z"/>
<path class="l1 pt" fill="none" stroke="currentColor" d="M2 3.2m0 0h1M4 0m0 0h1"/>
</svg>
`
	if got := string(p.Document(svg.Width, 40.5, "v-1", "T<", `D"`)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
