package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress is a bar on the terminal of stderr, for work that takes longer than
// a second. All methods of a nil one do nothing.
type progress struct {
	w     io.Writer
	what  string
	unit  unit
	total int64 // zero if it is not known
	start time.Time

	mu    sync.Mutex
	done  int64
	shown bool // the bar stands on the terminal's line

	stop    chan struct{}
	stopped chan struct{}
}

// unit writes an amount of work.
type unit func(n int64) string

const (
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// startProgress starts a bar, unless stderr is no terminal that could show one.
// The caller must end it.
func (p *program) startProgress(what string, total int64, unit unit) *progress {
	if !p.screen.stderrTerminal || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return newProgress(p.stderr, what, total, unit)
}

func newProgress(w io.Writer, what string, total int64, unit unit) *progress {
	b := &progress{w: w, what: what, unit: unit, total: total, start: time.Now(),
		stop: make(chan struct{}), stopped: make(chan struct{})}
	go b.run()
	return b
}

func (b *progress) run() {
	defer close(b.stopped)
	next := time.NewTimer(progressDelay)
	defer next.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-next.C:
			b.draw()
			next.Reset(progressEvery)
		}
	}
}

// add tells that more of the work is done.
func (b *progress) add(n int64) {
	if b != nil {
		b.mu.Lock()
		b.done += n
		b.mu.Unlock()
	}
}

// aside takes the bar away while f prints.
func (b *progress) aside(f func()) {
	if b == nil {
		f()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	f()
}

// end takes the bar away for good.
func (b *progress) end() {
	if b != nil {
		close(b.stop)
		<-b.stopped
		b.clear()
	}
}

const clearLine = "\r\x1b[K"

func (b *progress) clear() {
	if b.shown {
		io.WriteString(b.w, clearLine)
		b.shown = false
	}
}

func (b *progress) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	const width = 30
	amount := b.unit(b.done)
	if b.total > 0 {
		part := min(1, float64(b.done)/float64(b.total))
		full := int(part * width)
		amount = fmt.Sprintf("[%s%s] %3.0f%% of %s", strings.Repeat("=", full), strings.Repeat(" ", width-full), 100*part, b.unit(b.total))
	}
	fmt.Fprintf(b.w, "%s%s %s, %v", clearLine, b.what, amount, time.Since(b.start).Round(time.Second))
	b.shown = true
}

// inBytes writes a number of bytes.
func inBytes(n int64) string {
	const kilo = 1000
	switch {
	case n >= kilo*kilo*kilo:
		return fmt.Sprintf("%.1f GB", float64(n)/(kilo*kilo*kilo))
	case n >= kilo*kilo:
		return fmt.Sprintf("%.0f MB", float64(n)/(kilo*kilo))
	}
	return fmt.Sprintf("%d bytes", n)
}

// inRequests writes a number of requests.
func inRequests(n int64) string { return fmt.Sprintf("%d requests", n) }

// counting tells a bar of what is written.
type counting struct {
	w   io.Writer
	bar *progress
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.bar.add(int64(n))
	return n, err
}

// countingFile is counting for a file that is also written here and there.
type countingFile struct {
	counting
	io.WriterAt
}
