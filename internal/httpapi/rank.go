package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// rank answers a rank request. A slot is held until the answer is ready, not
// until the client has taken it; the bytes of answers that wait for that are
// bounded instead.
func (x *exchange) rank() {
	a, size := x.rankAnswer()
	if size > 0 {
		if !x.h.capacity.hold(size) {
			a, size = &x.h.refusals.overloaded, 0
		}
		defer x.h.capacity.release(size)
	}
	x.setWriteDeadline(x.h.limits.takeTime)
	x.send(a)
}

// rankAnswer returns the answer to a rank request, and how many bytes of it
// belong to this request alone.
func (x *exchange) rankAnswer() (a *answer, size int) {
	switch {
	case x.r.ContentLength > rank.MaxRequestBytes:
		return &x.h.refusals.payloadTooLarge, 0
	case !x.h.capacity.takeSlot():
		return &x.h.refusals.overloaded, 0
	}
	return x.rankInSlot()
}

// rankInSlot reads the body and returns the answer to it. However it ends, the
// slot is free then.
func (x *exchange) rankInSlot() (a *answer, size int) {
	defer x.h.capacity.freeSlot()
	body, err := x.readBody()
	switch {
	case errors.Is(err, errTooLong):
		return &x.h.refusals.payloadTooLarge, 0
	case err != nil:
		// The client is gone, is too slow or broke its own framing.
		panic(http.ErrAbortHandler)
	}
	scratch := x.h.scratch.Get().(*[]byte)
	defer x.h.scratch.Put(scratch)
	result, err := x.h.rank(x.r.Context(), (*scratch)[:0], body)
	*scratch = result[:0]
	if err != nil {
		return x.refuseRank(err)
	}
	own := newAnswer(http.StatusOK, bytes.Clone(result))
	return &own, len(result)
}

// refuseRank returns the answer to a request that was not ranked.
func (x *exchange) refuseRank(err error) (a *answer, size int) {
	if _, ok := errors.AsType[*rank.TooLargeError](err); ok {
		return &x.h.refusals.resultTooLarge, 0
	}
	if faults := problem.All(err); faults != nil {
		own := x.h.refusals.refusal(problem.InvalidRankRequest, faults[0].Error())
		return &own, len(own.body[0])
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		panic(http.ErrAbortHandler) // the client is gone
	}
	x.logFailure(err.Error())
	return &x.h.refusals.failed, 0
}

var errTooLong = errors.New("body is too long")

// readBody reads the body as far as one byte more than it may have.
func (x *exchange) readBody() (string, error) {
	if !x.hasBody {
		return "", nil
	}
	x.setReadDeadline(x.h.limits.bodyTime)
	const firstRead = 4 << 10
	size := int64(firstRead)
	if x.r.ContentLength > 0 {
		size = x.r.ContentLength + 1 // room to meet the end
	}
	body := make([]byte, 0, min(size, rank.MaxRequestBytes+1))
	for {
		n, err := x.r.Body.Read(body[len(body):min(cap(body), rank.MaxRequestBytes+1)])
		body = body[:len(body)+n]
		switch {
		case len(body) > rank.MaxRequestBytes:
			return "", errTooLong
		case err == io.EOF:
			x.hasBody = false
			x.clearReadDeadline() // else it would seem that the client went away
			return string(body), nil
		case err != nil:
			return "", err
		case len(body) == cap(body):
			body = append(body, 0)[:len(body)]
		}
	}
}

func (x *exchange) setReadDeadline(after time.Duration) {
	_ = x.controller().SetReadDeadline(time.Now().Add(after)) // or the server's own holds
}

func (x *exchange) clearReadDeadline() { _ = x.controller().SetReadDeadline(time.Time{}) }

func (x *exchange) setWriteDeadline(after time.Duration) {
	_ = x.controller().SetWriteDeadline(time.Now().Add(after)) // or the server's own holds
}
