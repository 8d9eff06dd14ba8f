package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// Progress is a bar on the terminal of standard error, for work that takes longer
// than a second. All methods of a nil one do nothing.
type Progress struct {
	w     io.Writer
	what  string
	unit  Unit
	total int64 // zero if it is not known
	start time.Time

	mu    sync.Mutex
	done  int64
	shown bool // the bar is on the terminal's line

	stop    chan struct{}
	stopped chan struct{}
}

// Unit writes an amount of work.
type Unit func(n int64) string

const (
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// Progress starts a bar, unless standard error is no terminal that could show one.
// The caller must end it.
func (c *Console) Progress(what string, total int64, unit Unit) *Progress {
	if !c.errTerminal || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return newProgress(c.stderr, what, total, unit)
}

func newProgress(w io.Writer, what string, total int64, unit Unit) *Progress {
	b := &Progress{w: w, what: what, unit: unit, total: total, start: time.Now(),
		stop: make(chan struct{}), stopped: make(chan struct{})}
	go b.run()
	return b
}

func (b *Progress) run() {
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

// Add says that more of the work is done.
func (b *Progress) Add(n int64) {
	if b != nil {
		b.mu.Lock()
		b.done += n
		b.mu.Unlock()
	}
}

// HideWhile takes the bar away while f prints.
func (b *Progress) HideWhile(f func()) {
	if b == nil {
		f()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	f()
}

// End takes the bar away for good.
func (b *Progress) End() {
	if b != nil {
		close(b.stop)
		<-b.stopped
		b.clear()
	}
}

const clearLine = "\r\x1b[K"

func (b *Progress) clear() {
	if b.shown {
		io.WriteString(b.w, clearLine)
		b.shown = false
	}
}

func (b *Progress) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	const width = 30
	amount := b.unit(b.done)
	if b.total > 0 {
		part := min(1, float64(b.done)/float64(b.total))
		full := int(part * width)
		amount = fmt.Sprintf("[%s%s] %3.0f%% of %s", strings.Repeat("=", full), strings.Repeat(" ", width-full), 100*part,
			b.unit(b.total))
	}
	fmt.Fprintf(b.w, "%s%s %s, %v", clearLine, b.what, amount, time.Since(b.start).Round(time.Second))
	b.shown = true
}

// Bytes writes a number of bytes.
func Bytes(n int64) string {
	const kilo = 1000
	switch {
	case n >= kilo*kilo*kilo:
		return fmt.Sprintf("%.1f GB", float64(n)/(kilo*kilo*kilo))
	case n >= kilo*kilo:
		return fmt.Sprintf("%.0f MB", float64(n)/(kilo*kilo))
	}
	return fmt.Sprintf("%d bytes", n)
}

// Count returns what writes a number of things.
func Count(things string) Unit {
	return func(n int64) string { return fmt.Sprintf("%d %s", n, things) }
}
