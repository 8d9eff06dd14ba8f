//go:build unix

// Command measure runs a command to its end and prints, on standard output and
// in one line, the seconds it took by the clock, the seconds of processor time
// and the peak of its resident memory in MB (10^6 bytes). What the command
// prints goes to standard error. If the command fails, so does measure.
//
//	measure svc compile observations.jsonl --as-of 2026-12-01 -o catalog.json
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: measure COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(name string, args []string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("the system does not tell the usage of memory")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Printf("%.3f %.3f %.0f\n", wall.Seconds(), cpu.Seconds(), peakBytes(usage)/1e6)
	return nil
}

// peakBytes is the peak of resident memory, which systems count differently.
func peakBytes(usage *syscall.Rusage) float64 {
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss)
	}
	return float64(usage.Maxrss) * 1024
}
