package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/problem"
)

// This file is the dialogue with one client over two streams.

// RunStreams serves one client: a message a line, of 1 MiB at most, until the input ends
// or the context does. A line that is no message is refused, and the dialogue goes on. What
// was asked before the end of the input is answered.
func (a *Agent) RunStreams(ctx context.Context, in io.Reader, out io.Writer) error {
	d := &dialogue{ctx: ctx, in: in, out: out, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}
	return a.Run(ctx, &mcp.IOTransport{Reader: dialogueInput{d}, Writer: dialogueOutput{d}, MaxLineLength: maxBody})
}

// dialogue knows which calls wait for their answers. The end of the input would break them
// off, so that it is told when there are none. The library drops a call whose id another
// has that waits.
type dialogue struct {
	ctx context.Context
	in  io.Reader
	end error  // of the input
	raw []byte // the part of a line that was read
	fit []byte // lines that the protocol gets

	isTooLong bool // the line, of which more is to come

	mu       sync.Mutex
	out      io.Writer
	open     map[jsonrpc.ID]bool
	version  string        // of the protocol, once it is agreed on
	answered chan struct{} // gets something when an answer was written
}

// dialogueInput is the input of a dialogue.
type dialogueInput struct{ *dialogue }

func (d dialogueInput) Close() error { return nil }

func (d dialogueInput) Read(b []byte) (int, error) {
	for len(d.fit) == 0 {
		if d.end != nil {
			if d.end == io.EOF {
				d.wait()
			}
			return 0, d.end
		}
		n, err := d.in.Read(b)
		d.raw, d.end = append(d.raw, b[:n]...), err
		d.cutLines()
	}
	n := copy(b, d.fit)
	d.fit = d.fit[n:]
	return n, nil
}

// cutLines takes the lines off what was read. One that is too long is refused, and what is still
// to come of it passed over.
func (d *dialogue) cutLines() {
	for len(d.raw) > 0 {
		line, rest, isLine := bytes.Cut(d.raw, []byte{'\n'})
		line = bytes.TrimSpace(line)
		isTooLong := len(line) > maxBody
		switch {
		case isTooLong && !d.isTooLong:
			d.refuse(jsonrpc.CodeInvalidRequest, "a message must be at most "+strconv.Itoa(maxBody)+" bytes")
		case !isLine && d.end == nil && !d.isTooLong:
			return
		case !d.isTooLong && len(line) > 0:
			d.admit(line)
		}
		d.isTooLong = (isTooLong || d.isTooLong) && !isLine
		d.raw = rest
	}
}

// admit lets a line through that is a message, or a batch of them, and refuses another.
func (d *dialogue) admit(line []byte) {
	var batch []json.RawMessage
	isBatch := line[0] == '['
	switch {
	case !json.Valid(line):
		d.refuse(jsonrpc.CodeParseError, "the line is not JSON")
		return
	case !isBatch:
		batch = []json.RawMessage{line}
	case d.agreed() >= "2025-06-18":
		d.refuse(jsonrpc.CodeInvalidRequest, "protocol "+d.agreed()+" has no batches")
		return
	default:
		_ = json.Unmarshal(line, &batch) // it is valid
	}
	var calls, others [][]byte
	ids := map[jsonrpc.ID]bool{}
	for _, text := range batch {
		message, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			d.refuse(jsonrpc.CodeInvalidRequest, "not a message of JSON-RPC 2.0: "+problem.Brief(err.Error()))
			return
		}
		r, isRequest := message.(*jsonrpc.Request)
		if !isRequest || !r.ID.IsValid() {
			others = append(others, text)
			continue
		}
		if n, isNumber := r.ID.Raw().(int64); isNumber { // of a fraction it is another number
			var m struct{ ID json.RawMessage }
			if _ = json.Unmarshal(text, &m); string(m.ID) != strconv.FormatInt(n, 10) {
				d.refuse(jsonrpc.CodeInvalidRequest, "an id must be a text or a whole number below 2^53")
				return
			}
		}
		if ids[r.ID] {
			d.refuse(jsonrpc.CodeInvalidRequest, "two calls of the batch have one id")
			return
		}
		ids[r.ID] = true
		calls = append(calls, text)
	}
	if len(batch) == 0 {
		d.refuse(jsonrpc.CodeInvalidRequest, "the batch is empty")
	}
	for _, text := range others {
		d.fit = append(append(d.fit, text...), '\n')
	}
	if len(calls) == 0 {
		return
	}
	if !d.begin(ids) {
		d.refuse(jsonrpc.CodeInvalidRequest, "a call with this id waits for its answer")
		return
	}
	if isBatch {
		line = slices.Concat([]byte("["), bytes.Join(calls, []byte(",")), []byte("]"))
	}
	d.fit = append(append(d.fit, line...), '\n')
}

// begin notes calls that wait from now on, unless one with such an id does.
func (d *dialogue) begin(ids map[jsonrpc.ID]bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range ids {
		if d.open[id] {
			return false
		}
	}
	maps.Copy(d.open, ids)
	return true
}

// refuse answers what is no message.
func (d *dialogue) refuse(code int, message string) {
	answer := append(refusedMessage("null", code, message), '\n')
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.out.Write(answer) // the next answer meets what is wrong with it
}

// agreed returns the version of the protocol that both sides speak.
func (d *dialogue) agreed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.version
}

// wait waits until all is answered.
func (d *dialogue) wait() {
	for {
		d.mu.Lock()
		open := len(d.open)
		d.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-d.answered:
		case <-d.ctx.Done():
			return
		}
	}
}

// dialogueOutput is the output of a dialogue; a message, or a batch of them, is written at once.
type dialogueOutput struct{ *dialogue }

func (d dialogueOutput) Close() error { return nil }

func (d dialogueOutput) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	messages := []json.RawMessage{b}
	isBatch := len(b) > 0 && b[0] == '['
	if isBatch {
		_ = json.Unmarshal(b, &messages) // the library wrote it
	}
	var kept [][]byte
	for _, text := range messages {
		if text = d.mend(text); text != nil {
			kept = append(kept, bytes.TrimSpace(text))
		}
	}
	text := append(bytes.Join(kept, []byte(",")), '\n')
	if isBatch {
		text = slices.Concat([]byte("["), text[:len(text)-1], []byte("]\n"))
	}
	var err error
	if kept != nil {
		_, err = d.out.Write(text)
	}
	select {
	case d.answered <- struct{}{}:
	default:
	}
	return len(b), err
}

// mend notes that a call is answered. Of errors for which the library has no code, a call
// that was cancelled gets no answer, nil, and what cannot be asked at this time is refused.
func (d *dialogue) mend(text []byte) []byte {
	message, err := jsonrpc.DecodeMessage(text)
	r, isAnswer := message.(*jsonrpc.Response)
	if err != nil || !isAnswer {
		return text
	}
	delete(d.open, r.ID)
	if d.version == "" {
		var result struct {
			Version string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(r.Result, &result) // other results have none
		d.version = result.Version
	}
	fault, isFault := errors.AsType[*jsonrpc.Error](r.Error)
	switch {
	case !isFault || fault.Code != 0:
		return text
	case fault.Message == context.Canceled.Error():
		return nil
	}
	id, _ := json.Marshal(r.ID.Raw()) // a text or a number
	return refusedMessage(string(id), jsonrpc.CodeInvalidRequest, fault.Message)
}
