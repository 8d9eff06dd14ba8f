package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file is the dialogue with one client over two streams.

// RunStreams serves one client: a message a line, of 1 MiB at most, until the input ends
// or the context does. What was asked before the end of the input is answered.
func (a *Agent) RunStreams(ctx context.Context, in io.Reader, out io.Writer) error {
	d := &dialogue{ctx: ctx, in: in, out: out, answered: make(chan struct{}, 1)}
	return a.Run(ctx, &mcp.IOTransport{Reader: asked{d}, Writer: answered{d}, MaxLineLength: maxBody})
}

// dialogue knows how many questions wait for their answers. The end of the input would
// break them off, so that it is told when there are none.
type dialogue struct {
	ctx context.Context
	in  io.Reader
	out io.Writer

	mu       sync.Mutex
	open     int
	line     []byte        // the part of a line that was read
	answered chan struct{} // gets something when an answer was written
}

// asked is the input of a dialogue.
type asked struct{ *dialogue }

func (d asked) Close() error { return nil }

func (d asked) Read(b []byte) (int, error) {
	n, err := d.in.Read(b)
	d.mu.Lock()
	d.line = append(d.line, b[:n]...)
	for {
		end := bytes.IndexByte(d.line, '\n')
		if end < 0 && err == io.EOF {
			end = len(d.line)
		}
		if end < 0 || len(d.line) == 0 {
			break
		}
		if isMessage(d.line[:end], true) {
			d.open++
		}
		d.line = d.line[min(end+1, len(d.line)):]
	}
	d.mu.Unlock()
	if n == 0 && err == io.EOF {
		d.wait()
	}
	return n, err
}

// wait waits until all is answered.
func (d *dialogue) wait() {
	for {
		d.mu.Lock()
		open := d.open
		d.mu.Unlock()
		if open <= 0 {
			return
		}
		select {
		case <-d.answered:
		case <-d.ctx.Done():
			return
		}
	}
}

// answered is the output of a dialogue; a message is written at once.
type answered struct{ *dialogue }

func (d answered) Close() error { return nil }

func (d answered) Write(b []byte) (int, error) {
	n, err := d.out.Write(b)
	if isMessage(b, false) {
		d.mu.Lock()
		d.open--
		d.mu.Unlock()
		select {
		case d.answered <- struct{}{}:
		default:
		}
	}
	return n, err
}

// isMessage reports whether a line is a question, or else an answer.
func isMessage(line []byte, question bool) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil || string(m.ID) == "null" {
		return false
	}
	return (m.Method != "") == question
}
