package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// From svc build to a chat through Portkey's gateway, by OpenAI's client, with two variables for
// keys: if the seller of the choice fails, the answer comes from the one that stands in. The first is
// OpenRouter, which is told to ask the one provider whose price and quantization were compared.
func TestPortkeyGateway(t *testing.T) {
	const install = "@portkey-ai/gateway and openai from npm"
	program, err := filepath.EvalSymlinks(vectortest.Tool(t, "gateway", install))
	if err != nil {
		t.Fatal(err)
	}
	packages := filepath.Join(filepath.Dir(program), "../../..") // node_modules, which has the client too
	node := vectortest.Tool(t, "node", "nodejs")
	if _, err := os.Stat(filepath.Join(packages, "openai")); err != nil {
		vectortest.Missing(t, "openai is missing: install "+install)
	}
	dir := t.TempDir()
	sellers := map[string]*standIn{"one": newStandIn(t, "one"), "two": newStandIn(t, "two")}
	writeFile(t, filepath.Join(dir, "offers.jsonl"), []byte(offersOf(sellers)))
	file, text := writeGateway(t, dir)
	for name := range sellers {
		if key := "secret-" + name; strings.Contains(text, key) {
			t.Errorf("the file has a key: %s", text)
		}
	}
	// The file gives a seller two minutes, the test less.
	writeFile(t, file, []byte(strings.Replace(text, `"request_timeout": 120000`, `"request_timeout": 1000`, 1)))
	writeFile(t, filepath.Join(dir, "chat.mjs"), readFileOf(t, "../examples/gateway/chat.mjs"))
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	url := startGateway(t, node, program)
	chat := func(keys ...string) *exec.Cmd {
		c := exec.Command(node, "chat.mjs", file, "Who are you?")
		c.Dir, c.Env = dir, append(append(os.Environ(), "GATEWAY_URL="+url), keys...)
		return c
	}
	for _, try := range []struct {
		failure int // of the first
		want    string
	}{{0, "one\n"}, {http.StatusTooManyRequests, "two\n"}, {http.StatusServiceUnavailable, "two\n"}, {silence, "two\n"}, {http.StatusBadRequest, ""}} {
		sellers["one"].failure.Store(int64(try.failure))
		out, err := chat("ONE_API_KEY=secret-one", "TWO_API_KEY=secret-two").Output()
		if string(out) != try.want || (err == nil) != (try.want != "") {
			t.Errorf("the first fails with %d: %q, %v, want %q", try.failure, out, err, try.want)
		}
	}
	if out, err := chat().CombinedOutput(); err == nil || !strings.Contains(string(out), "ONE_API_KEY or TWO_API_KEY") {
		t.Errorf("without a key: %v, %s", err, out)
	}
	if one, two := sellers["one"].calls.Load(), sellers["two"].calls.Load(); one != 5 || two != 3 {
		t.Errorf("the first was called %d times, the second %d times", one, two)
	}
}

// writeGateway builds a catalog of a folder's offers, asks it a question, and returns what svc build
// and svc export write of the answer: the file and its text.
func writeGateway(t *testing.T, dir string) (file, text string) {
	t.Helper()
	const recipe = "version: 1\nsources:\n  observations: { files: offers.jsonl }\n"
	writeFile(t, filepath.Join(dir, "catalog.yaml"), []byte(recipe))
	run := func(args ...string) {
		if out, err := process(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	run("build")
	run(strings.Fields("new request --question --maximize coding.score --cheapest --model acme/a --runtime openrouter/one --runtime two -o coding.json")...)
	run(strings.Fields("export coding.json --format gateway -o exported.json")...)
	file = filepath.Join(dir, "coding.gateway.json")
	text = string(readFileOf(t, filepath.Join(dir, "exported.json")))
	writeFile(t, filepath.Join(dir, "catalog.yaml"), []byte(recipe+"questions: [coding.json]\ngateways: [portkey]\n"))
	run("build")
	if built := string(readFileOf(t, file)); built != text {
		t.Errorf("svc build writes %s, and svc export %s", built, text)
	}
	return file, text
}

// silence is a failure: no answer for longer than the gateway waits.
const silence = -1

// standIn stands in for a seller, and demands its own key and local id.
type standIn struct {
	url     string
	calls   atomic.Int64
	failure atomic.Int64 // 0, a status, or silence
}

func newStandIn(t *testing.T, name string) *standIn {
	t.Helper()
	s := &standIn{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		var body struct {
			Model    string `json:"model"`
			Provider *struct {
				Only          []string `json:"only"`
				Quantizations []string `json:"quantizations"`
			} `json:"provider"`
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		if asked := body.Provider; (asked != nil) != (name == "one") ||
			asked != nil && fmt.Sprint(asked.Only, asked.Quantizations) != "[one] [fp8]" {
			t.Errorf("%s is told to ask %+v", name, asked)
		}
		if key := r.Header.Get("Authorization"); err != nil || key != "Bearer secret-"+name || body.Model != "local-"+name || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s is asked for %s at %s with %q: %v", name, body.Model, r.URL.Path, key, err)
		}
		w.Header().Set("Content-Type", "application/json")
		switch failure := s.failure.Load(); failure {
		case 0:
			fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"finish_reason":"stop",`+
				`"message":{"role":"assistant","content":%q}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, body.Model, name)
		case silence:
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
		default:
			w.WriteHeader(int(failure))
			io.WriteString(w, `{"error":{"message":"not now"}}`)
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// offersOf are observations of a model that scores something, and that stand-ins sell, the first of
// them for less.
func offersOf(sellers map[string]*standIn) string {
	const day = `"2026-07-01T00:00:00.000Z"`
	document := func(id, execution, measurements string) string {
		return `{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":"acme/a","revision":null,"quantization":null},` +
			`"execution":` + execution + `,"task":null,"measurements":[` + measurements + `],"outcome":null,"usage":null,"sourceClass":"external",` +
			`"evidence":[{"id":"list:` + id + `","kind":"log","uri":null,"digest":null,"observedAt":` + day + `}],` +
			`"freshness":{"observedAt":` + day + `,"validUntil":null},"uncertainty":{"level":"low","basis":["b"],"gaps":[]}}` + "\n"
	}
	text := document("score", "null", `{"key":"coding.score","kind":"fact","value":70,"unit":"percent"}`)
	for name, price := range map[string]string{"one": "1e-6", "two": "2e-6"} {
		list := []string{fmt.Sprintf(`{"key":"offer.api","kind":"fact","value":%q}`, sellers[name].url+"/v1"),
			`{"key":"offer.client","kind":"fact","value":"@ai-sdk/openai-compatible"}`,
			fmt.Sprintf(`{"key":"offer.id","kind":"fact","value":%q}`, "local-"+name),
			fmt.Sprintf(`{"key":"offer.key_variable","kind":"fact","value":%q}`, strings.ToUpper(name)+"_API_KEY"),
			`{"key":"price.input","kind":"fact","value":` + price + `,"unit":"USD/token"}`,
			`{"key":"price.output","kind":"fact","value":` + price + `,"unit":"USD/token"}`}
		runtime := name
		if name == "one" {
			runtime = "openrouter/one"
			list = append(list, `{"key":"offer.quantization","kind":"fact","value":"fp8"}`)
		}
		text += document(name, `{"kind":"partial","runtime":{"id":"`+runtime+`","version":null},"adapter":null,"effectiveContextTokens":null,`+
			`"toolSurface":null,"hardware":null,"workflow":null}`, strings.Join(list, ","))
	}
	return text
}

// startGateway starts Portkey's gateway and returns its address once it listens.
func startGateway(t *testing.T, node, program string) string {
	t.Helper()
	port := freePort(t)
	c := exec.Command(node, program, "--headless", "--port="+port)
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if t.Failed() {
			t.Logf("the gateway said: %s", said.String())
		}
	})
	for range 300 {
		if connection, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			connection.Close()
			return "http://127.0.0.1:" + port + "/v1"
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the gateway does not listen")
	return ""
}
