// Command bucket tries a token bucket with "a burst of 50, 10 a second
// sustained". It needs no Redis.
package main

import (
	"context"
	"fmt"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/tokenbucket"
)

func main() { lab.MainWithoutRedis(story) }

// story sends 80 requests at once, then 64 a second for ten seconds. In a 64th
// of a second the bucket gets a number of tokens that a float64 holds exactly.
func story(context.Context, *lab.Lab) error {
	noon := time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)
	b := &tokenbucket.Local{Capacity: 50, Refill: 10}
	burst, steady := 0, 0
	for range 80 {
		if b.Allow(noon, 1) {
			burst++
		}
	}
	const tries = 640
	for n := range tries {
		if b.Allow(noon.Add(time.Duration(n+1)*time.Second/64), 1) {
			steady++
		}
	}
	fmt.Printf("bucket: of 80 at once %d pass · of %d in the next 10 s %d\n", burst, tries, steady)
	return nil
}
