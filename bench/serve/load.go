//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// load is a number of connections that send one request after the other.
type load struct {
	address     string
	request     func() []byte
	length      int // of the body that every answer must have, zero for any
	connections int
	time        time.Duration
}

// outcome is what a load measured.
type outcome struct {
	rate  float64 // answers a second
	times []time.Duration
}

// request returns what returns the bytes of a request for a path.
func (b *benchmark) request(path string) func() []byte {
	head := b.method() + " " + path + " HTTP/1.1\r\nHost: svc.example\r\n"
	if b.body != nil {
		head += "Content-Length: " + strconv.Itoa(len(b.body)) + "\r\n"
	}
	whole := append([]byte(head+"\r\n"), b.body...)
	return func() []byte { return whole }
}

func (l load) run() (outcome, error) {
	var (
		mu    sync.Mutex
		sum   outcome
		first error
		all   sync.WaitGroup
	)
	begin := time.Now()
	for range l.connections {
		all.Go(func() {
			times, err := l.connection(begin.Add(l.time))
			mu.Lock()
			defer mu.Unlock()
			sum.times = append(sum.times, times...)
			if first == nil {
				first = err
			}
		})
	}
	all.Wait()
	sum.rate = float64(len(sum.times)) / time.Since(begin).Seconds()
	return sum, first
}

// connection sends requests until an instant.
func (l load) connection(end time.Time) (times []time.Duration, err error) {
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	for begin := time.Now(); begin.Before(end); {
		if _, err := conn.Write(l.request()); err != nil {
			return nil, err
		}
		if err := l.receive(in); err != nil {
			return nil, err
		}
		now := time.Now()
		times = append(times, now.Sub(begin))
		begin = now
	}
	return times, nil
}

// receive reads an answer, which must be 200 and have the length.
func (l load) receive(in *bufio.Reader) error {
	status, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("answer %q", status)
	}
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == len("\r\n") {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length < 0 || l.length > 0 && length != l.length {
		return fmt.Errorf("the answer has %d bytes, want %d", length, l.length)
	}
	_, err = in.Discard(length)
	return err
}
