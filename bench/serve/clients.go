//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/model-catalog-service/svc/bench/workload"
)

// habit is what a client does, that has no interest in being served.
type habit struct {
	name string
	text string // what it sends; it reads as little as it can

	isWorst bool // of all, by what is in use
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
		{name: "nothing"},
		{name: "asks for a small answer, and waits", text: "GET /v1/models/x HTTP/1.1\r\nHost: svc.example" + end},
		{name: "sends 53 KB of a head in 250 lines", text: read + lines},
		{name: "asks for a large answer and does not read", text: read + lines + end},
		{name: "sends 4 KB of a body", text: "POST /v1/rank HTTP/1.1\r\nHost: svc.example\r\nContent-Length: 1000000" + end +
			strings.Repeat(" ", 4000)},
		{name: "HTTP/2: nothing", text: frames(0, func(*http2.Framer, func(path, method string) []byte) {})},
		{name: "HTTP/2: asks for 8 large answers with long paths, opens no window",
			text: frames(0, func(f *http2.Framer, head func(path, method string) []byte) {
				for i := range uint32(streams) {
					request(f, 2*i+1, head("/v1/catalog/snapshot?"+strings.Repeat("x", 60000), "GET"), true)
				}
			})},
		{name: "HTTP/2: asks for 8 large answers in frames of 16 MiB and does not read",
			text: frames(1<<30, func(f *http2.Framer, head func(path, method string) []byte) {
				for i := range uint32(streams) {
					request(f, 2*i+1, head("/v1/catalog/snapshot", "GET"), true)
				}
			}), isWorst: true},
		{name: "HTTP/2: sends 4 KB of each of 8 bodies", text: frames(0,
			func(f *http2.Framer, head func(path, method string) []byte) {
				for i := range uint32(streams) {
					request(f, 2*i+1, head("/v1/rank", "POST"), false)
					_ = f.WriteData(2*i+1, false, bytes.Repeat([]byte(" "), 4000))
				}
			})},
		{name: "HTTP/2: sends PING after PING and does not read", text: frames(0,
			func(f *http2.Framer, head func(path, method string) []byte) {
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
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window},
		http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<24 - 1})
	_ = f.WriteWindowUpdate(0, 1<<30)
	write(f, func(path, method string) []byte {
		block.Reset()
		for _, field := range [][2]string{{":method", method}, {":scheme", "http"}, {":authority", "svc.example"},
			{":path", path}} {
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
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndHeaders: len(block) == 0,
		EndStream: isEnd})
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
	return c.measureFlood(catalog)
}

// The clients of a flood, besides those of the habit that costs most.
const (
	unfinished = 100             // send a body of 1 MiB but for its last byte
	deaf       = 100             // ask for ranks and do not read
	ranking    = 8               // ask for ranks, one after the other, and read
	floodTime  = 5 * time.Second // after all have come
)

// measureFlood prints the most memory that a server has while as many clients as it
// lets in do all that costs it most at once, and what the formula of
// docs/operations.md gives.
func (c *config) measureFlood(catalog string) error {
	svc, err := startServer(c.svc, "serve", "--catalog", catalog, "--port", "0")
	if err != nil {
		return err
	}
	defer svc.stop()
	var rank bytes.Buffer
	if err := workload.Request(&rank, workload.RequestConfig{Candidates: 128, Criteria: 16, Advisories: 8}); err != nil {
		return err
	}
	post := func(length int, body string) string {
		return fmt.Sprintf("POST /v1/rank HTTP/1.1\r\nHost: svc.example\r\nContent-Length: %d\r\n\r\n%s", length, body)
	}
	all := habits()
	worst := all[slices.IndexFunc(all, func(h habit) bool { return h.isWorst })]
	texts := slices.Concat(
		slices.Repeat([]string{worst.text}, c.clients),
		slices.Repeat([]string{post(1<<20, strings.Repeat(" ", 1<<20-1))}, unfinished),
		slices.Repeat([]string{post(rank.Len(), rank.String())}, deaf))
	var open sync.WaitGroup
	for _, text := range texts {
		conn, err := net.Dial("tcp", svc.address())
		if err != nil {
			return err
		}
		defer conn.Close()
		open.Go(func() { _, _ = io.WriteString(conn, text) })
	}
	var statuses [600]atomic.Int64
	end := time.Now().Add(floodTime)
	for range ranking {
		open.Go(func() {
			for time.Now().Before(end) {
				if r, err := http.Post(svc.url+"/v1/rank", "application/json", bytes.NewReader(rank.Bytes())); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					r.Body.Close()
					statuses[r.StatusCode].Add(1)
				}
			}
		})
	}
	time.Sleep(floodTime)
	inUse, err := svc.inUse()
	if err != nil {
		return err
	}
	const mib, connection, slots, slot, held = 1 << 10, 210, 4, 32 << 10, 96 << 10 // KiB
	formula := 5*int(fileSize(catalog)>>10) + connection*(len(texts)+ranking) + slots*slot + held
	fmt.Fprintf(os.Stdout, "\n%d clients that do the worst, %d with a body that is not whole, %d that take no rank, %d "+
		"that rank (%d times 200, %d times 503):"+
		" %d MiB are in use, %d MiB were resident at most; the formula gives %d MiB.\n",
		c.clients, unfinished, deaf, ranking, statuses[http.StatusOK].Load(), statuses[http.StatusServiceUnavailable].Load(),
		inUse/mib, svc.memory("VmHWM:")/mib, formula/mib)
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

// settle waits until the process does next to nothing for a second, for two minutes at
// most. A head that is not complete is held for five seconds at most.
func (p *process) settle() {
	still := 0
	for range 600 {
		before := p.time()
		time.Sleep(200 * time.Millisecond)
		if still++; p.time() != before {
			still = 0
		}
		if still == 5 {
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
