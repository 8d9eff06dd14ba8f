//go:build !linux

package verifytest

import (
	"testing"
	"time"
)

// cpuTime returns the time on the clock, where that of a thread is not to be had.
func cpuTime(testing.TB) time.Duration { return time.Duration(time.Now().UnixNano()) }
