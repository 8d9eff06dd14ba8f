//go:build !linux

package vectortest

import (
	"testing"
	"time"
)

// cpuTime returns the time on the clock. That of a process is not portable.
func cpuTime(tb testing.TB) time.Duration { return wallTime(tb) }
