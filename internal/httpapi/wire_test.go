package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the recorded exchanges anew")

// The recorded exchanges are what a client and the server of the small catalog
// say to each other, to the byte: lines that begin with > go to the server,
// lines that begin with < come back, in a form that a reader can follow. Lines
// that begin with ! tell the circumstances. Every head ends with an empty line;
// line ends are CR LF in heads, and a body has none at its end. Date is the one
// header that is not compared.

// recorded is one exchange.
type recorded struct {
	comment       []string // lines that begin with # or !, and empty ones
	circumstances []string
	request       string
	response      string
}

func readRecorded(t *testing.T, file string) (list []recorded) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var now recorded
	var request, response []string
	finish := func() {
		if request != nil {
			now.request, now.response = join(request), join(response)
			list = append(list, now)
		}
		now, request, response = recorded{}, nil, nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		content := strings.TrimPrefix(line[min(1, len(line)):], " ")
		switch {
		case strings.HasPrefix(line, ">"):
			if response != nil {
				finish()
			}
			request = append(request, content)
		case strings.HasPrefix(line, "<"):
			response = append(response, content)
		default:
			if request != nil {
				finish()
			}
			now.comment = append(now.comment, line)
			if strings.HasPrefix(line, "!") {
				now.circumstances = append(now.circumstances, content)
			}
		}
	}
	finish()
	return list
}

// join puts lines together: those of the head end with CR LF, the body is what
// comes after the empty line.
func join(lines []string) string {
	head := slices.Index(lines, "")
	if head < 0 {
		head = len(lines)
	}
	return strings.Join(lines[:head], "\r\n") + "\r\n\r\n" + strings.Join(lines[min(head+1, len(lines)):], "\n")
}

func writeRecorded(t *testing.T, file string, list []recorded) {
	t.Helper()
	var b strings.Builder
	for i := range list {
		for _, line := range list[i].comment {
			b.WriteString(line + "\n")
		}
		writeMarked(&b, ">", list[i].request)
		writeMarked(&b, "<", list[i].response)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeMarked(b *strings.Builder, mark, text string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n") {
		b.WriteString(strings.TrimRight(mark+" "+line, " ") + "\n")
	}
}

// stages are servers of the small catalog, one for each circumstances.
type stages map[string]string

// address returns where the server for the circumstances is.
func (s stages) address(t *testing.T, circumstances []string) string {
	t.Helper()
	key := strings.Join(circumstances, "\n")
	if s[key] == "" {
		s[key] = start(t, arrange(t, circumstances))
	}
	return s[key]
}

func arrange(t *testing.T, circumstances []string) *Handler {
	t.Helper()
	options := Options{}
	if slices.Contains(circumstances, "results may have 100 bytes") {
		options.MaxRankResponseBytes = 100
	}
	h := newTestHandler(t, smallCatalog(t), options)
	for _, c := range circumstances {
		switch c {
		case "results may have 100 bytes":
		case "all slots are taken":
			takeSlots(t, h)
		case "ranking panics":
			h.rank = func(context.Context, []byte, string) ([]byte, error) { panic("injected") }
		default:
			t.Fatalf("unknown circumstances: %s", c)
		}
	}
	return h
}

var date = regexp.MustCompile(`(?m)^Date: .*?\r$`)

const noDate = "Date: Thu, 01 Jan 1970 00:00:00 GMT\r"

func recordedFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.http")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded exchanges: %v", err)
	}
	return files
}

// Over HTTP/1.1 every exchange is what was recorded, byte for byte.
func TestRecordedHTTP1(t *testing.T) {
	servers := stages{}
	for _, file := range recordedFiles(t) {
		list := readRecorded(t, file)
		for i := range list {
			x := &list[i]
			w := dial(t, servers.address(t, x.circumstances))
			var raw bytes.Buffer
			w.in = bufio.NewReader(io.TeeReader(w.Conn, &raw))
			w.send(t, x.request)
			w.receive(t, methodOf(x.request))
			got := date.ReplaceAllString(raw.String(), noDate)
			if *update {
				x.response = got
			}
			if got != x.response {
				t.Errorf("%s: %s\nis answered with\n%s\nwant\n%s", file, x.request, got, x.response)
			}
			if err := w.Conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			w.wantsClose(t)
		}
		if *update {
			writeRecorded(t, file, list)
		}
	}
}

func methodOf(request string) string {
	method, _, _ := strings.Cut(request, " ")
	return method
}

// parse returns a recorded request and response for a client of any protocol.
func (x *recorded) parse(t *testing.T, address string) (*http.Request, response) {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(x.request)))
	if err != nil {
		t.Fatal(err)
	}
	// The client writes the target as it came.
	r.URL = &url.URL{Scheme: "http", Host: address, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if r.RequestURI == "*" {
		r.URL.Path, r.URL.Opaque = "", "*"
	}
	r.RequestURI = ""
	want, err := http.ReadResponse(bufio.NewReader(strings.NewReader(x.response)), r)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Body.Close()
	body, err := io.ReadAll(want.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.WithContext(t.Context()), response{want, string(body)}
}

func (got response) compare(t *testing.T, x *recorded, want response) {
	t.Helper()
	got.Header.Del("Date")
	want.Header.Del("Date")
	want.Header.Del("Connection") // HTTP/2 has none
	if got.StatusCode != want.StatusCode || got.text != want.text || !maps.EqualFunc(got.Header, want.Header, slices.Equal) {
		t.Errorf("%s\nis answered with %d\n%v\n%s\nwant %d\n%v\n%s",
			x.request, got.StatusCode, got.Header, got.text, want.StatusCode, want.Header, want.text)
	}
}

// HTTP/2 says the same: status, headers and body.
func TestRecordedHTTP2(t *testing.T) {
	t.Parallel()
	servers, client := stages{}, newClient(t, true)
	for _, file := range recordedFiles(t) {
		for _, x := range readRecorded(t, file) {
			r, want := x.parse(t, servers.address(t, x.circumstances))
			got := exchangeWith(t, client, r)
			if got.ProtoMajor != 2 {
				t.Fatalf("the answer came over %s", got.Proto)
			}
			got.compare(t, &x, want)
		}
	}
}

// HEAD is answered as GET is, but for the body, with both protocols and for
// errors too.
func TestRecordedHead(t *testing.T) {
	protocols(t, func(t *testing.T, client *http.Client) {
		servers := stages{}
		for _, file := range recordedFiles(t) {
			for _, x := range readRecorded(t, file) {
				if methodOf(x.request) != http.MethodGet {
					continue
				}
				r, want := x.parse(t, servers.address(t, x.circumstances))
				r.Method = http.MethodHead
				want.text = ""
				got := exchangeWith(t, client, r)
				got.compare(t, &x, want)
			}
		}
	})
}
