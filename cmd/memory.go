package cmd

import (
	"os"
	"runtime/debug"
)

// seldom is how far the heap may grow before garbage is collected, in percent.
const seldom = 400

// collectSeldom lets the heap grow to five times what is in use before garbage
// is collected, unless the environment says otherwise. Compiling and validating
// keep most of what they allocate, so that collecting finds little.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(seldom)
	}
}
