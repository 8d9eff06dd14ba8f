//go:build race

package cmd

// isRace reports whether the race detector is in the program. It takes much memory.
const isRace = true
