// Command floor prints the seconds that the floor of package bench takes for a
// file, on one core: the best of several runs.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/model-catalog-service/svc/bench"
)

func main() {
	runs := flag.Int("runs", 1, "take the best of so many `runs`")
	verbose := flag.Bool("v", false, "print the parts too, to standard error")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: floor [-runs N] [-v] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *runs < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *runs, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(file string, runs int, verbose bool) error {
	runtime.GOMAXPROCS(1)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	floors := make([]bench.Floor, runs)
	for i := range floors {
		if floors[i], err = bench.MeasureFloor(text); err != nil {
			return err
		}
	}
	best := slices.MinFunc(floors, func(a, b bench.Floor) int { return cmp.Compare(a.Total(), b.Total()) })
	if verbose {
		fmt.Fprintf(os.Stderr, "%d bytes: SHA-256 %.3f s, tokens %.3f s\n", len(text), best.Hash.Seconds(),
			best.Tokens.Seconds())
	}
	fmt.Printf("%.3f\n", best.Total().Seconds())
	return nil
}
