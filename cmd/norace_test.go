//go:build !race

package cmd

const isRace = false
