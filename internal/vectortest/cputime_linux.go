package vectortest

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns how long this process has worked, in all its threads. It does not
// count how long it waited for others.
func cpuTime(tb testing.TB) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}
