package main

import (
	"context"
	"fmt"

	"verbatim/examples/lab"
)

// Estimates take a day as 100,000 seconds, which makes the sums easy and the
// rates a seventh too low, and the peak as three times the average. Sizes are
// in powers of ten: 1 kB is 1,000 bytes.
const (
	day  = 100_000 // seconds
	peak = 3
	year = 365 // days

	kB, GB, TB = 1e3, 1e9, 1e12
)

// social is the load of 300 million users who send 20 requests a day each.
func social(context.Context, *lab.Lab) (string, error) {
	average := 300_000_000 * 20 / day
	return lab.Thousands(average) + " and " + lab.Thousands(average*peak), nil
}

// chatDay and chatOneCopy are the bytes of a chat's messages: 20 million of 1 kB
// a day, kept for three years.
const (
	chatDay     = 20e6 * 1 * kB
	chatOneCopy = chatDay * 3 * year
)

// chat is the storage of all messages in three copies.
func chat(context.Context, *lab.Lab) (string, error) {
	return fmt.Sprintf("%.1f TB", 3*chatOneCopy/TB), nil
}

// ladder is what the limiter adds to a page that sends four requests one after
// another, with Redis half a millisecond and a tenth of a second away.
func ladder(context.Context, *lab.Lab) (string, error) {
	const requests = 4
	near, far := 0.5, 100.0 // milliseconds there and back
	return fmt.Sprintf("%g ms and %g ms", requests*near, requests*far), nil
}

// estimates records the figures that the lesson's text needs beside the answers.
func estimates(l *lab.Lab) error {
	const keys = 50e6
	creations := 100_000_000 / day
	for _, sum := range []struct {
		name, value string
	}{
		{"bucket_guess", fmt.Sprintf("%.1f GB", keys*50/GB)},
		{"log_payload", fmt.Sprintf("%.0f GB", keys*1000*8/GB)},
		{"chat_day", fmt.Sprintf("%.0f GB", chatDay/GB)},
		{"chat_one_copy", fmt.Sprintf("%.1f TB", chatOneCopy/TB)},
		{"shortener_writes", lab.Thousands(creations)},
		{"shortener_writes_peak", lab.Thousands(creations * peak)},
		{"shortener_reads_peak", lab.Thousands(creations * peak * 100)},
		{"shortener_storage", fmt.Sprintf("%.0f TB", 100e6*year*5*500*3/TB)},
	} {
		fmt.Printf("%s: %s\n", sum.name, sum.value)
		if err := l.Value(sum.name, sum.value); err != nil {
			return err
		}
	}
	return nil
}
