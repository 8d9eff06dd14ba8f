//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// habit is what a client does, that has no interest in being served.
type habit struct {
	name string
	text string // what it sends; it reads as little as it can
}

// streams is how many a connection of HTTP/2 may have.
const streams = 8

func habits() []habit {
	const read, end = "GET /v1/catalog/snapshot HTTP/1.1\r\nHost: svc.example\r\n", "\r\n\r\n"
	lines := ""
	for i := range 250 {
		lines += fmt.Sprintf("X-Filler-%d-%s: y\r\n", i, strings.Repeat("x", 200))
	}
	return []habit{
		{"nothing", ""},
		{"asks for a small answer, and waits", "GET /v1/models/x HTTP/1.1\r\nHost: svc.example" + end},
		{"sends 53 KB of a head in 250 lines", read + lines},
		{"asks for a large answer and does not read", read + lines + end},
		{"sends 4 KB of a body", "POST /v1/rank HTTP/1.1\r\nHost: svc.example\r\nContent-Length: 1000000" + end + strings.Repeat(" ", 4000)},
		{"HTTP/2: nothing", frames(0, func(*http2.Framer, func(path, method string) []byte) {})},
		{"HTTP/2: asks for 8 large answers with long paths, opens no window", frames(0, func(f *http2.Framer, head func(path, method string) []byte) {
			for i := range uint32(streams) {
				request(f, 2*i+1, head("/v1/catalog/snapshot?"+strings.Repeat("x", 60000), "GET"), true)
			}
		})},
		{"HTTP/2: asks for 8 large answers in frames of 16 MiB and does not read", frames(1<<30, func(f *http2.Framer, head func(path, method string) []byte) {
			for i := range uint32(streams) {
				request(f, 2*i+1, head("/v1/catalog/snapshot", "GET"), true)
			}
		})},
		{"HTTP/2: sends 4 KB of each of 8 bodies", frames(0, func(f *http2.Framer, head func(path, method string) []byte) {
			for i := range uint32(streams) {
				request(f, 2*i+1, head("/v1/rank", "POST"), false)
				_ = f.WriteData(2*i+1, false, bytes.Repeat([]byte(" "), 4000))
			}
		})},
		{"HTTP/2: sends PING after PING and does not read", frames(0, func(f *http2.Framer, head func(path, method string) []byte) {
			for range 900 {
				_ = f.WritePing(false, [8]byte{})
			}
		})},
	}
}

// frames returns what a client of HTTP/2 sends that opens a window for each answer.
func frames(window uint32, write func(f *http2.Framer, head func(path, method string) []byte)) string {
	var text, block bytes.Buffer
	text.WriteString(http2.ClientPreface)
	f := http2.NewFramer(&text, nil)
	encoder := hpack.NewEncoder(&block)
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}, http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<24 - 1})
	_ = f.WriteWindowUpdate(0, 1<<30)
	write(f, func(path, method string) []byte {
		block.Reset()
		for _, field := range [][2]string{{":method", method}, {":scheme", "http"}, {":authority", "svc.example"}, {":path", path}} {
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
		}
		return bytes.Clone(block.Bytes())
	})
	return text.String()
}

// request writes the head of a request in as many frames as it takes.
func request(f *http2.Framer, stream uint32, block []byte, isEnd bool) {
	const most = 16 << 10
	first := block[:min(most, len(block))]
	block = block[len(first):]
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndHeaders: len(block) == 0, EndStream: isEnd})
	for len(block) > 0 {
		part := block[:min(most, len(block))]
		block = block[len(part):]
		_ = f.WriteContinuation(stream, len(block) == 0, part)
	}
}

// measureClients prints what a connection of each habit costs a fresh server: the
// memory in use after a collection, what is resident before it, and the buffers
// of all TCP connections of the machine, both ends counted.
func (c *config) measureClients(catalog string) error {
	fmt.Fprintf(os.Stdout, "%d connections of each habit, KiB for each:\n\n", c.clients)
	fmt.Fprintln(os.Stdout, "| a client | in use | resident | buffers of the system |")
	fmt.Fprintln(os.Stdout, "|---|---|---|---|")
	for _, h := range habits() {
		if err := c.measureHabit(catalog, h); err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
	}
	return nil
}

func (c *config) measureHabit(catalog string, h habit) error {
	svc, err := startServer(c.svc, "serve", "--catalog", catalog, "--port", "0")
	if err != nil {
		return err
	}
	defer svc.stop()
	inUse, err := svc.inUse()
	if err != nil {
		return err
	}
	resident, buffers := svc.memory("VmRSS:"), tcpBuffers()
	var all sync.WaitGroup
	conns := make([]net.Conn, c.clients)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", svc.address()); err != nil {
			return err
		}
		all.Go(func() { _, _ = io.WriteString(conns[i], h.text) })
	}
	svc.settle()
	resident, buffers = svc.memory("VmRSS:")-resident, tcpBuffers()-buffers
	now, err := svc.inUse()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "| %s | %d | %d | %d |\n", h.name, (now-inUse)/c.clients, resident/c.clients, buffers/c.clients)
	for _, conn := range conns {
		conn.Close()
	}
	all.Wait()
	return nil
}

// inUse is how many KiB of heap and stacks are in use after a collection. It needs
// the operators' port.
func (p *process) inUse() (kib int, err error) {
	log := p.log.String()
	_, rest, _ := strings.Cut(log, `msg="admin listener" url=`)
	url, _, ok := strings.Cut(rest, "\n")
	if !ok {
		return 0, fmt.Errorf("no operators' port: %s", log)
	}
	if _, err := get(url + "/debug/pprof/heap?gc=1"); err != nil {
		return 0, err
	}
	metrics, err := get(url + "/metrics")
	for line := range strings.Lines(string(metrics)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "go_memstats_heap_inuse_bytes" || name == "go_memstats_stack_inuse_bytes" {
			n, _ := strconv.ParseFloat(value, 64)
			kib += int(n) >> 10
		}
	}
	return kib, err
}

// settle waits until the process does next to nothing. A head that is not complete
// is held for five seconds at most.
func (p *process) settle() {
	for range 100 {
		before := p.time()
		time.Sleep(200 * time.Millisecond)
		if p.time() == before {
			return
		}
	}
}

// time is how much time of processors the process has taken, in ticks.
func (p *process) time() (ticks int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	const user, system = 13, 14 // proc_pid_stat(5), from 0 on
	for _, field := range fields[user : system+1] {
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return ticks
}

// tcpBuffers is how many KiB the buffers of all TCP connections have.
func tcpBuffers() int {
	text, err := os.ReadFile("/proc/net/sockstat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "TCP: ")
	_, rest, _ = strings.Cut(rest, " mem ")
	pages, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(pages)
	return n * os.Getpagesize() >> 10
}
