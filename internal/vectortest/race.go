//go:build race

package vectortest

const underRace = true
