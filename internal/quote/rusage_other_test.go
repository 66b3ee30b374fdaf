//go:build !unix

package quote

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
