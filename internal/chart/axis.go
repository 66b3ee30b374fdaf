package chart

import (
	"strconv"
	"strings"

	"verbatim/internal/svg"
)

// axis maps values to places. Ticks stand at round numbers: whole multiples of
// 1, 2 or 5 and a power of ten.
type axis struct {
	low, high float64 // of the values
	from, to  float64 // of the places
	ticks     []tick
}

type tick struct {
	value float64
	text  string
}

// newAxis makes an axis for values between low and high with at most n spaces
// between ticks. A rounded one begins and ends at a tick.
func newAxis(low, high float64, n int, rounded bool) *axis {
	if low == high {
		low, high = low-1, high+1
	}
	a := &axis{low: low, high: high}
	digit, exponent := roundStep((high - low) / float64(n))
	step := tickAt(digit, exponent).value
	first, last := int64(low/step), int64(high/step)
	for tickAt(first*digit, exponent).value > low {
		first--
	}
	for tickAt(last*digit, exponent).value < high {
		last++
	}
	for k := first; k <= last; k++ {
		t := tickAt(k*digit, exponent)
		if rounded || t.value >= low && t.value <= high {
			a.ticks = append(a.ticks, t)
		}
	}
	if rounded {
		a.low, a.high = a.ticks[0].value, a.ticks[len(a.ticks)-1].value
	}
	return a
}

// roundStep returns the least round number that is not below raw, as a digit and
// a power of ten. It reads both off the decimal form: logarithms differ in the
// last bit between machines.
func roundStep(raw float64) (digit int64, exponent int) {
	form := strconv.FormatFloat(raw, 'e', -1, 64)
	mantissa, power, _ := strings.Cut(form, "e")
	m, _ := strconv.ParseFloat(mantissa, 64)
	exponent, _ = strconv.Atoi(power)
	for _, digit := range []int64{1, 2, 5} {
		if m <= float64(digit) {
			return digit, exponent
		}
	}
	return 1, exponent + 1
}

// tickAt is the tick at n times ten to the power of exponent.
func tickAt(n int64, exponent int) tick {
	value, _ := strconv.ParseFloat(strconv.FormatInt(n, 10)+"e"+strconv.Itoa(exponent), 64)
	if value == 0 {
		return tick{0, "0"} // not -0
	}
	text := strconv.FormatFloat(value, 'f', max(0, -exponent), 64)
	if exponent > 6 || exponent < -6 {
		text = strconv.FormatFloat(value, 'e', -1, 64)
	}
	return tick{value, grouped(text)}
}

// grouped sets commas between thousands, from 10,000 on, and a true minus.
func grouped(s string) string {
	sign := ""
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		sign, s = "−", rest
	}
	whole, rest := s, ""
	if i := strings.IndexAny(s, ".e"); i >= 0 {
		whole, rest = s[:i], s[i:]
	}
	if len(whole) < 5 {
		return sign + s
	}
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return sign + b.String() + rest
}

// place returns the coordinate of a value. Each product is rounded by itself: a
// machine that fuses it with the sum would round otherwise.
func (a *axis) place(v float64) float64 {
	share := (v - a.low) / (a.high - a.low)
	return a.from + float64(share*(a.to-a.from))
}

// widest is the width of the longest label.
func (a *axis) widest() (w float64) {
	for _, t := range a.ticks {
		w = max(w, svg.Wide(t.text))
	}
	return w
}
