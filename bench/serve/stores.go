//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/model-catalog-service/svc/bench"
	"github.com/model-catalog-service/svc/bench/workload"
)

// measureStores measures the stores of the verification endpoint on one bundle.
func (c *config) measureStores(out io.Writer, dir string) error {
	file := filepath.Join(dir, "bundle.json")
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(workload.Bundle(f, 1, c.claims), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d claims with 3 pieces of evidence and 3 events each, %.0f MB; medians of %d rounds\n\n", c.claims, float64(fileSize(file))/1e6, c.rounds)
	fmt.Fprintln(out, "| | seconds / floor | seconds of processors / floor | peak of memory / file |")
	fmt.Fprintln(out, "|---|--:|--:|--:|")
	database := filepath.Join(dir, "records.db")
	if err := c.measureLoads(out, file, database); err != nil {
		return err
	}
	memory, err := c.startStore("file:" + file)
	if err != nil {
		return err
	}
	defer memory.stop()
	sqlite, err := c.startStore("sqlite:" + database)
	if err != nil {
		return err
	}
	defer sqlite.stop()
	return c.compareStores(out, file, memory, sqlite)
}

func (c *config) startStore(address string) (*process, error) {
	return startServer(c.svc, "verify-serve", "--store", address, "--source", "bench", "--port", "0")
}

// cost is what something took, in floors and in sizes of the file.
type cost struct{ seconds, processors, peak float64 }

// measureLoads prints what verify-load and the start on a file take.
func (c *config) measureLoads(out io.Writer, file, database string) error {
	var loads, starts []cost
	for range c.rounds {
		floor, processors, err := floorOf(file)
		if err != nil {
			return err
		}
		_ = os.Remove(database) // of the round before
		begin := time.Now()
		load := exec.Command(c.svc, "verify-load", "--store", "sqlite:"+database, file)
		if said, err := load.CombinedOutput(); err != nil {
			return fmt.Errorf("verify-load: %w: %s", err, said)
		}
		loads = append(loads, costOf(load, time.Since(begin), floor, processors, file))

		begin = time.Now()
		p, err := c.startStore("file:" + file)
		if err != nil {
			return err
		}
		took := time.Since(begin)
		p.stop()
		starts = append(starts, costOf(p.command, took, floor, processors, file))
	}
	for _, row := range []struct {
		name  string
		costs []cost
	}{{"`svc verify-load` into SQLite", loads}, {"`svc verify-serve --store file:`", starts}} {
		median := func(of func(cost) float64) float64 {
			var all []float64
			for _, c := range row.costs {
				all = append(all, of(c))
			}
			slices.Sort(all)
			return all[len(all)/2]
		}
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.2f |\n", row.name, median(func(c cost) float64 { return c.seconds }),
			median(func(c cost) float64 { return c.processors }), median(func(c cost) float64 { return c.peak }))
	}
	return nil
}

// floorOf measures the floor of a file, and the time of processors that it takes.
func floorOf(file string) (floor, processors time.Duration, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	f, err := bench.MeasureFloor(text)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	spent := func(u syscall.Rusage) int64 { return u.Utime.Nano() + u.Stime.Nano() }
	return f.Total(), time.Duration(spent(after) - spent(before)), err
}

// costOf returns what a command took that has ended.
func costOf(command *exec.Cmd, took, floor, processors time.Duration, file string) cost {
	state := command.ProcessState
	c := cost{seconds: took.Seconds() / floor.Seconds(), processors: (state.UserTime() + state.SystemTime()).Seconds() / processors.Seconds()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		peak := float64(usage.Maxrss)
		if runtime.GOOS != "darwin" {
			peak *= 1024
		}
		c.peak = peak / float64(fileSize(file))
	}
	return c
}

// mostAsked is how many claims are asked for once before they are asked for again.
const mostAsked = 20_000

// compareStores prints what SQLite answers beside memory: random claims of all, when it
// was asked for none of them before, and random ones of those that it was asked for.
func (c *config) compareStores(out io.Writer, file string, memory, sqlite *process) error {
	among := c.claims
	random := func() []byte { return questionOf(rand.IntN(among)) }
	fmt.Fprintf(out, "\n%d connections, random claims, rounds of %v\n\n", c.connections, c.time)
	fmt.Fprintln(out, "| SQLite | requests/s of memory's | processor time of a request, times memory's |")
	fmt.Fprintln(out, "|---|--:|--:|")
	for _, state := range []string{"asked for the first time", "asked before"} {
		rounds := 1
		if state == "asked before" {
			rounds = c.rounds
			among = min(c.claims, mostAsked)
			if err := c.askForAll(sqlite, among); err != nil {
				return err
			}
		}
		var rates, times []float64
		for range rounds {
			var rate, ticks [2]float64
			for i, p := range []*process{sqlite, memory} {
				before := p.time()
				o, err := load{p.address(), random, 0, c.connections, c.time}.run()
				if err != nil {
					return err
				}
				rate[i], ticks[i] = o.rate, float64(p.time()-before)/float64(len(o.times))
			}
			rates, times = append(rates, rate[0]/rate[1]), append(times, ticks[0]/ticks[1])
		}
		slices.Sort(rates)
		slices.Sort(times)
		fmt.Fprintf(out, "| %s | %.2f | %.2f |\n", state, rates[len(rates)/2], times[len(times)/2])
	}
	fmt.Fprintf(out, "\nPeak of resident memory, under this load: file: %.2f times the file, sqlite: %.2f.\n",
		float64(memory.memory("VmHWM:"))*1024/float64(fileSize(file)), float64(sqlite.memory("VmHWM:"))*1024/float64(fileSize(file)))
	return nil
}

// askForAll asks for each of the first so many claims once.
func (c *config) askForAll(p *process, many int) error {
	var next atomic.Int64
	left := func() []byte { return questionOf(int(next.Add(1)-1) % many) }
	for int(next.Load()) < many {
		if _, err := (load{p.address(), left, 0, c.connections, c.time}).run(); err != nil {
			return err
		}
	}
	return nil
}

// questionOf returns the request for a claim.
func questionOf(i int) []byte {
	return []byte("GET /.well-known/profile/verify?ref=" + workload.ClaimID(i) + " HTTP/1.1\r\nHost: svc.example\r\n\r\n")
}
