package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// LinesError says what is wrong with lines= of a fence, in words for its author.
type LinesError struct{ Text, Hint string }

func (e *LinesError) Error() string { return e.Text }

// LineNumbers returns the numbers that lines= names, such as "1-2,5": each at
// most once, ascending, from 1 to n. An error is a *LinesError.
func LineNumbers(spec string, n int) ([]int, error) {
	var numbers []int
	for part := range strings.SplitSeq(strings.ReplaceAll(spec, "–", "-"), ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.Atoi(strings.TrimSpace(first))
		to, err2 := strconv.Atoi(strings.TrimSpace(last))
		if err1 != nil || err2 != nil || from < 1 || to < from {
			return nil, &LinesError{fmt.Sprintf("lines=%q is not of the form 1, 1-3 or 1-3,5", spec), "write lines=2 or lines=2-3"}
		}
		if to > n {
			return nil, &LinesError{fmt.Sprintf("lines=%q, but there are %d lines", spec, n), fmt.Sprintf("name lines from 1 to %d", n)}
		}
		for i := from; i <= to; i++ {
			numbers = append(numbers, i)
		}
	}
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			ordered := slices.Compact(slices.Sorted(slices.Values(numbers)))
			return nil, &LinesError{
				fmt.Sprintf("lines=%q shows lines twice or in another order than they have", spec),
				"write them once, in their order: lines=" + spell(ordered),
			}
		}
	}
	return numbers, nil
}

// spell writes ascending numbers as lines= does.
func spell(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		parts = append(parts, Range{From: numbers[i], To: numbers[j]}.String())
		i = j + 1
	}
	return strings.Join(parts, ",")
}
