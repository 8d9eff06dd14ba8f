//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	fmt.Fprintf(out, "%d claims with 3 pieces of evidence and 3 events each, %.0f MB; medians of %d rounds\n\n", c.claims,
		float64(fileSize(file))/1e6, c.rounds)
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
	if err := c.compareStores(out, file, database, memory); err != nil {
		return err
	}
	return c.measureFilling(out, file, database)
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
		load, peak, err := runToEnd(c.svc, "verify-load", "--store", "sqlite:"+database, file)
		if err != nil {
			return fmt.Errorf("verify-load: %w", err)
		}
		loads = append(loads, costOf(load, time.Since(begin), floor, processors, peak, file))

		begin = time.Now()
		p, err := c.startStore("file:" + file)
		if err != nil {
			return err
		}
		took, peak := time.Since(begin), p.memory("VmHWM:")
		p.stop()
		starts = append(starts, costOf(p.command, took, floor, processors, peak, file))
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

// runToEnd runs a command. peak is that of its resident memory in KiB, as it was a moment
// before the end: what the system says afterwards includes the memory of this process,
// from which the other was forked.
func runToEnd(name string, args ...string) (command *exec.Cmd, peak int, err error) {
	var said bytes.Buffer
	p := &process{command: exec.Command(name, args...)}
	p.command.Stdout, p.command.Stderr = &said, &said
	if err := p.command.Start(); err != nil {
		return nil, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%w: %s", err, &said)
			}
			return p.command, peak, err
		case <-time.After(10 * time.Millisecond):
			peak = max(peak, p.memory("VmHWM:"))
		}
	}
}

// costOf returns what a command took that has ended, with a peak in KiB.
func costOf(command *exec.Cmd, took, floor, processors time.Duration, peak int, file string) cost {
	state := command.ProcessState
	return cost{
		seconds:    took.Seconds() / floor.Seconds(),
		processors: (state.UserTime() + state.SystemTime()).Seconds() / processors.Seconds(),
		peak:       float64(peak) * 1024 / float64(fileSize(file)),
	}
}

// compareStores prints what SQLite answers beside memory, for random claims of all: from
// its start on, while its cache fills, and when that is full. Each round of it is taken
// beside one of memory.
func (c *config) compareStores(out io.Writer, file, database string, memory *process) error {
	fmt.Fprintf(out, "\n%d connections, random claims of all, rounds of %v\n\n", c.connections, c.time)
	fmt.Fprintln(out, "| SQLite | requests/s of memory's | processor time of a request, times memory's |")
	fmt.Fprintln(out, "|---|--:|--:|")
	var peak float64
	for _, row := range []struct {
		name   string
		filled bool
	}{{"from the start on", false}, {"when the cache is full", true}} {
		var rates, ticks []float64
		for range c.rounds {
			fromMemory, err := c.askAtRandom(memory)
			if err != nil {
				return err
			}
			sqlite, err := c.startStore("sqlite:" + database)
			if err != nil {
				return err
			}
			if row.filled {
				sqlite.settle()
			}
			fromSQLite, err := c.askAtRandom(sqlite)
			peak = max(peak, float64(sqlite.memory("VmHWM:")))
			sqlite.stop()
			if err != nil {
				return err
			}
			rates, ticks = append(rates, fromSQLite.rate/fromMemory.rate), append(ticks, fromSQLite.ticks/fromMemory.ticks)
		}
		slices.Sort(rates)
		slices.Sort(ticks)
		fmt.Fprintf(out, "| %s | %.2f | %.2f |\n", row.name, rates[len(rates)/2], ticks[len(ticks)/2])
	}
	fmt.Fprintf(out, "\nPeak of resident memory, under this load: file: %.2f times the file, sqlite: %.2f.\n",
		float64(memory.memory("VmHWM:"))*1024/float64(fileSize(file)), peak*1024/float64(fileSize(file)))
	return nil
}

// measureFilling prints what a server takes that nobody asks, until its cache is full.
func (c *config) measureFilling(out io.Writer, file, database string) error {
	_, processors, err := floorOf(file)
	if err != nil {
		return err
	}
	p, err := c.startStore("sqlite:" + database)
	if err != nil {
		return err
	}
	defer p.stop()
	p.settle()
	const tick = 10 * time.Millisecond
	filling := time.Duration(p.time()) * tick
	fmt.Fprintf(out, "Start and filling of the cache: %.1f floors of processor time, %.2f times the file in memory.\n",
		filling.Seconds()/processors.Seconds(), float64(p.memory("VmHWM:"))*1024/float64(fileSize(file)))
	return nil
}

// roundCost is what a round of questions took: answers a second, and processor time of each,
// in ticks.
type roundCost struct{ rate, ticks float64 }

// askAtRandom asks a server for random claims of all.
func (c *config) askAtRandom(p *process) (roundCost, error) {
	before := p.time()
	o, err := load{p.address(), func() []byte { return questionOf(rand.IntN(c.claims)) }, 0, c.connections, c.time}.run()
	return roundCost{o.rate, float64(p.time()-before) / float64(len(o.times))}, err
}

// questionOf returns the request for a claim.
func questionOf(i int) []byte {
	return []byte("GET /.well-known/profile/verify?ref=" + workload.ClaimID(i) + " HTTP/1.1\r\nHost: svc.example\r\n\r\n")
}
