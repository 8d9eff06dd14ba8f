// Package bench measures the service against what the machine can do at best.
//
// Every speed is given as a ratio to a floor, taken in the same run on the
// same bytes: one SHA-256 pass over them and one pass of a strict JSON
// tokenizer, on one core. Whoever compiles a catalog has to do at least that.
package bench

import (
	"bytes"
	"crypto/sha256"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Floor says how long the two passes took.
type Floor struct {
	Hash   time.Duration // SHA-256
	Tokens time.Duration // strict tokens, duplicate names refused
}

// Total is the floor itself.
func (f Floor) Total() time.Duration { return f.Hash + f.Tokens }

// MeasureFloor makes both passes over JSON values that follow each other. It
// uses one core.
func MeasureFloor(text []byte) (Floor, error) {
	var f Floor
	start := time.Now()
	sha256.Sum256(text)
	f.Hash = time.Since(start)

	start = time.Now()
	tokens := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		if _, err := tokens.ReadToken(); err == io.EOF {
			break
		} else if err != nil {
			return f, err
		}
	}
	f.Tokens = time.Since(start)
	return f, nil
}
