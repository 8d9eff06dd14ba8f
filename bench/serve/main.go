//go:build unix

// Command serve measures svc serve on generated input and prints a Markdown
// table: requests a second for every kind of request, beside a bare net/http
// handler that writes the same bytes, in the same run on the same machine; the
// peak of resident memory; and the time to start beside that of svc validate.
//
//	go build -o svc . && go run ./bench/serve -svc ./svc
//	go run ./bench/serve -svc ./svc -claims 100000
//
// The second line measures the stores of the verification endpoint: what loading and
// starting take beside the floor of package bench, memory beside the size of the file, and
// SQLite beside memory.
//
// The load is bounded: so many connections, each with one request at a time,
// for so many seconds. Everything is on the loopback interface, and client and
// servers share the processors.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/bench/workload"
)

// config is what the flags say.
type config struct {
	svc         string
	n, large    int // observations
	connections int
	rounds      int
	clients     int           // of each habit
	claims      int           // in the stores that are measured instead
	time        time.Duration // of a round
}

func main() {
	var c config
	flag.StringVar(&c.svc, "svc", "svc", "the `binary` to measure")
	flag.IntVar(&c.n, "n", 10000, "observations in the catalog that is served")
	flag.IntVar(&c.large, "large", 100000, "observations in the catalog whose start is measured, 0 for none")
	flag.IntVar(&c.connections, "connections", 8, "connections, each with one request at a time")
	flag.IntVar(&c.rounds, "rounds", 3, "rounds, whose medians are printed")
	flag.DurationVar(&c.time, "time", 2*time.Second, "time of a round")
	flag.IntVar(&c.clients, "clients", 0, "connections of each bad habit, whose memory is measured instead of speed")
	flag.IntVar(&c.claims, "claims", 0, "claims in the stores of the verification endpoint, which are measured instead")
	bare := flag.String("bare", "", "be the bare server that answers with the recordings in this `folder`")
	flag.Parse()
	err := error(nil)
	if *bare != "" {
		err = serveRecordings(*bare)
	} else {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// benchmark is one kind of request.
type benchmark struct {
	name    string
	path    string
	body    []byte // of a POST
	records recording
}

func (b *benchmark) method() string {
	if b.body != nil {
		return http.MethodPost
	}
	return http.MethodGet
}

func (c *config) run() error {
	dir, err := os.MkdirTemp("", "svc-bench-serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if c.claims > 0 {
		return c.measureStores(os.Stdout, dir)
	}
	catalog, err := c.compile(dir, c.n)
	if err != nil {
		return err
	}
	if c.clients > 0 {
		return c.measureClients(catalog)
	}
	svc, err := startServer(c.svc, "serve", "--catalog", catalog, "--port", "0",
		"--max-concurrent-rank-requests", strconv.Itoa(c.connections))
	if err != nil {
		return err
	}
	defer svc.stop()
	benchmarks, err := c.benchmarks(svc)
	if err != nil {
		return err
	}
	if err := record(dir, svc, benchmarks); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare, err := startServer(self, "-bare", dir)
	if err != nil {
		return err
	}
	defer bare.stop()
	fmt.Printf("%d observations, %d connections, medians of %d rounds of %v\n\n", c.n, c.connections, c.rounds, c.time)
	fmt.Println("| request | bytes of the answer | requests/s | bare handler/s | ratio | median | 99 of 100 within | " +
		"µs of processor each | bare handler |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for i := range benchmarks {
		if err := c.measure(&benchmarks[i], svc, bare); err != nil {
			return fmt.Errorf("%s: %w", benchmarks[i].name, err)
		}
	}
	fmt.Printf("\nPeak of resident memory: %d KiB, of which the catalog's file is %d KiB.\n", svc.memory("VmHWM:"),
		fileSize(catalog)>>10)
	if c.large > 0 {
		return c.measureStart(dir)
	}
	return nil
}

// compile writes a catalog of n generated observations.
func (c *config) compile(dir string, n int) (string, error) {
	observations := filepath.Join(dir, "observations.jsonl")
	f, err := os.Create(observations)
	if err != nil {
		return "", err
	}
	if err := errors.Join(workload.Observations(f, workload.Config{Seed: 1, N: n}), f.Close()); err != nil {
		return "", err
	}
	catalog := filepath.Join(dir, fmt.Sprintf("catalog-%d.json", n))
	out, err := exec.Command(c.svc, "compile", observations, "--as-of", workload.AsOf, "-o", catalog).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compile: %w: %s", err, out)
	}
	return catalog, os.Remove(observations)
}

func (c *config) benchmarks(svc *process) ([]benchmark, error) {
	list, err := get(svc.url + "/v1/models")
	if err != nil {
		return nil, err
	}
	const mark = `"key":"`
	_, rest, ok := bytes.Cut(list, []byte(mark))
	if !ok {
		return nil, errors.New("the list has no models")
	}
	key, _, _ := bytes.Cut(rest, []byte(`"`))
	var small, large bytes.Buffer
	err = errors.Join(
		workload.Request(&small, workload.RequestConfig{Candidates: 4, Criteria: 3}),
		workload.Request(&large, workload.RequestConfig{Candidates: 128, Criteria: 16, Advisories: 8}))
	return []benchmark{
		{name: "GET /v1/models", path: "/v1/models"},
		{name: "GET /v1/models/{key}", path: "/v1/models/" + string(key)},
		{name: "GET /v1/catalog/snapshot", path: "/v1/catalog/snapshot"},
		{name: "POST /v1/rank: 4 candidates, 3 criteria", path: "/v1/rank", body: small.Bytes()},
		{name: "POST /v1/rank: 128 candidates, 16 criteria, 8 advisories", path: "/v1/rank", body: large.Bytes()},
	}, err
}

func get(url string) ([]byte, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// measure measures both servers in turn, so that what else the machine does
// hits both, and prints a line.
func (c *config) measure(b *benchmark, svc, bare *process) error {
	var rates, bareRates []float64
	var times []time.Duration
	var ticks, bareTicks, bareTimes int
	for range c.rounds {
		before, bareBefore := svc.time(), bare.time()
		served, err := load{svc.address(), b.request(b.path), len(b.records.Body), c.connections, c.time}.run()
		if err != nil {
			return err
		}
		work := load{bare.address(), b.request(b.records.path()), len(b.records.Body), c.connections, c.time}
		floor, err := work.run()
		if err != nil {
			return err
		}
		ticks += svc.time() - before
		bareTicks += bare.time() - bareBefore
		bareTimes += len(floor.times)
		rates = append(rates, served.rate)
		bareRates = append(bareRates, floor.rate)
		times = append(times, served.times...)
	}
	slices.Sort(rates)
	slices.Sort(bareRates)
	slices.Sort(times)
	rate, floor := rates[len(rates)/2], bareRates[len(bareRates)/2]
	perTick := float64(time.Second/time.Microsecond) / 100 // as Linux counts
	fmt.Printf("| %s | %d | %.0f | %.0f | %.2f | %v | %v | %.0f | %.0f |\n", b.name, len(b.records.Body), rate, floor,
		rate/floor,
		times[len(times)/2].Round(time.Microsecond), times[len(times)*99/100].Round(time.Microsecond),
		float64(ticks)*perTick/float64(len(times)), float64(bareTicks)*perTick/float64(bareTimes))
	return nil
}

// measureStart measures the time until the URL is printed, beside validation.
func (c *config) measureStart(dir string) error {
	catalog, err := c.compile(dir, c.large)
	if err != nil {
		return err
	}
	var starts, validations []time.Duration
	for range c.rounds {
		begin := time.Now()
		if out, err := exec.Command(c.svc, "validate", catalog).CombinedOutput(); err != nil {
			return fmt.Errorf("validate: %w: %s", err, out)
		}
		validations = append(validations, time.Since(begin))
		begin = time.Now()
		p, err := startServer(c.svc, "serve", "--catalog", catalog, "--port", "0")
		if err != nil {
			return err
		}
		starts = append(starts, time.Since(begin))
		p.stop()
	}
	slices.Sort(starts)
	slices.Sort(validations)
	start, validate := starts[len(starts)/2], validations[len(validations)/2]
	fmt.Printf("\nStart on %d observations: %v, %.2f times the %v of svc validate.\n",
		c.large, start.Round(time.Millisecond), start.Seconds()/validate.Seconds(), validate.Round(time.Millisecond))
	return nil
}

func fileSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// process is a server that runs.
type process struct {
	command *exec.Cmd
	log     bytes.Buffer
	url     string
}

// startServer starts a program that prints its URL.
func startServer(name string, args ...string) (*process, error) {
	p := &process{command: exec.Command(name, args...)}
	p.command.Env = append(os.Environ(), "SVC_ADMIN_ADDR=127.0.0.1:0")
	p.command.Stderr = &p.log
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w: %s", name, err, &p.log)
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

func (p *process) address() string { return strings.TrimPrefix(p.url, "http://") }

func (p *process) stop() {
	_ = p.command.Process.Signal(os.Interrupt)
	_ = p.command.Wait()
}

// memory is how many KiB of memory the process has, by the name that Linux gives
// to what is meant: VmRSS for what is resident, VmHWM for the peak of that. It is 0
// on other systems.
func (p *process) memory(name string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), name)
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.Atoi(value)
	return n
}
