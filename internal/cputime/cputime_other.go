//go:build !unix

package cputime

import "time"

// Used returns 0, because the time is not known on this system.
func Used() time.Duration { return 0 }

// UsedByChildren returns 0, because the time is not known on this system.
func UsedByChildren() time.Duration { return 0 }
