package main_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

// page asks whoever serves it, verifies by itself, and shows what came out.
const page = `<!doctype html><meta charset="utf-8"><title>Claims</title><link rel="icon" href="data:,"><script type="module">
import { ask, verify } from './package/index.js'
const get = async (path, options) => (await fetch(path, options)).text()
const bundle = await get('examples/claims-held.json'), stored = await get('answer.json'), key = await get('key.pem')
const answers = await ask(bundle, (question) => get('.well-known/hachure/verify',
  { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: question }))
const now = new Date().toISOString(), known = { now: '2026-11-20T00:10:00Z', keys: [key], require: 'verified' }
const refusal = (promise) => promise.then(() => 'none', ({ message, faults }) => ({ message, faults }))
window.shown = JSON.stringify({
  answers, now, receipt: await verify(bundle, answers, { now, keys: [key], require: 'verified' }),
  stored: await verify(bundle, stored, known), parsed: await verify(JSON.parse(bundle), [{ text: stored }], known),
  tampered: await verify(bundle, stored.replaceAll('"claim.borealis-1.repairs"', '"claim.borealis-2.repairs"'), known),
  noBundle: await refusal(verify('{}', stored)), noKey: await refusal(verify(bundle, stored, { keys: ['x'] })),
  typo: await refusal(verify(bundle, stored, { keyz: [] })),
  down: await refusal(ask(bundle, async () => { throw new Error('nobody is there') })),
})
</script>`

// The package works in a page and in node. It is built once.
func TestPackage(t *testing.T) {
	vectortest.SkipRace(t)
	folder := buildPackage(t)
	t.Run("page", func(t *testing.T) { testPage(t, folder) })
	t.Run("node", func(t *testing.T) { testNode(t, folder) })
}

// A page verifies by itself what it asks and what it has, and comes to the receipt that is made here.
func testPage(t *testing.T, folder string) {
	if _, err := browsertest.Find(); err != nil {
		vectortest.Missing(t, err.Error())
	}
	_, public := keys(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(page)) })
	mux.HandleFunc("/key.pem", func(w http.ResponseWriter, _ *http.Request) { w.Write(public) })
	mux.HandleFunc("/answer.json", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(read(t, stored))) })
	mux.Handle("/package/", http.StripPrefix("/package", http.FileServer(http.Dir(folder))))
	mux.Handle("/examples/", http.StripPrefix("/examples", http.FileServer(http.Dir("../../../examples"))))
	mux.Handle("/.well-known/hachure/verify", producer(t))
	server := httptest.NewServer(mux)
	defer server.Close()
	browser, end, err := browsertest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	tab, err := browser.Open(browsertest.View{Width: 800, Height: 600}, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	err = tab.Wait("window.shown !== undefined")
	if faults := tab.Faults(); err != nil || len(faults) > 0 {
		t.Fatalf("%v %q", err, faults)
	}
	text, err := browsertest.Eval[string](tab, "window.shown")
	if err != nil {
		t.Fatal(err)
	}
	checkShown(t, text)
}

const stored = "../../../service/verify/testdata/answer.json"

type refusal struct {
	Message string
	Faults  []struct{ Code, Path, Reason string }
}

func checkShown(t *testing.T, text string) {
	t.Helper()
	var shown struct {
		Now     string
		Answers []struct {
			Text, Nonce string
			Refs        []string
		}
		Receipt, Stored, Parsed, Tampered json.RawMessage
		NoBundle, NoKey, Typo, Down       refusal
	}
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var answers []verify.Answer
	for _, a := range shown.Answers {
		answers = append(answers, verify.Answer{JSON: a.Text, Refs: a.Refs, Nonce: a.Nonce})
	}
	if len(answers) != 1 || answers[0].Nonce == "" || len(answers[0].Refs) != 2 {
		t.Errorf("answers %+v", answers)
	}
	const known = "2026-11-20T00:10:00Z"
	kept := []verify.Answer{{JSON: read(t, stored)}}
	tampered := []verify.Answer{{JSON: strings.ReplaceAll(kept[0].JSON, `"claim.borealis-1.repairs"`, `"claim.borealis-2.repairs"`)}}
	for name, tt := range map[string]struct {
		got  json.RawMessage
		want *record.VerificationReceipt
		code record.OutcomeCode
	}{
		"asked":    {shown.Receipt, receive(t, answers, shown.Now), record.OutcomeStatusFell},
		"stored":   {shown.Stored, receive(t, kept, known), record.OutcomeStatusFell},
		"parsed":   {shown.Parsed, receive(t, kept, known), record.OutcomeStatusFell},
		"tampered": {shown.Tampered, receive(t, tampered, known), record.OutcomePayloadMismatch},
	} {
		want, err := json.Marshal(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := service.CanonicalJSON(tt.got)
		b, errB := service.CanonicalJSON(want)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s: %v, %v\n%s\n%s", name, errA, errB, a, b)
		}
		if tt.want.OK || !slices.ContainsFunc(tt.want.Outcomes, func(o record.ReceiptOutcome) bool { return o.Code == tt.code }) {
			t.Errorf("%s: %+v, want %s", name, tt.want.Outcomes, tt.code)
		}
	}
	if f := shown.NoBundle.Faults; len(f) == 0 || f[0].Code != "INVALID_TRUST_BUNDLE" || f[0].Path == "" || f[0].Reason == "" {
		t.Errorf("no bundle: %+v", shown.NoBundle)
	}
	for want, got := range map[string]refusal{"must hold one public key": shown.NoKey, `unknown field "keyz"`: shown.Typo, "nobody is there": shown.Down} {
		if !strings.Contains(got.Message, want) || len(got.Faults) > 0 {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}

func testNode(t *testing.T, folder string) {
	node := vectortest.Tool(t, "node", "nodejs")
	script := `import { readFileSync } from 'node:fs'
import { verify } from './index.js'
const read = (path) => readFileSync(path, 'utf8')
const [bundle, answer, key] = process.argv.slice(1).map(read)
const receipt = await verify(bundle, answer, { now: '2026-11-20T00:10:00Z', keys: [key] })
console.log(receipt.claims.map((claim) => claim.after).join())
// What was said stays said: by who signed and no longer does, by an older answer, and by one that leaves a revocation out.
const memoryOf = (kept) => ({ recall: async (source) => kept.get(source), keep: (source, texts) => void kept.set(source, texts) })
const codes = async (text, memory, options) => {
  const { outcomes, claims } = await verify(bundle, text, { now: '2026-11-20T00:10:00Z', allowFall: true, memory, ...options })
  return [...outcomes.map(({ code, message }) => message.includes('disk') ? code + ' disk' : code), ...claims.map(({ after }) => after)].join()
}
const unsigned = JSON.parse(answer).bundle
const older = { ...unsigned, metadata: { ...unsigned.metadata, respondedAt: '2026-11-19T00:00:00.000Z' } }
const silent = { ...unsigned, events: unsigned.events.filter(({ status }) => status === 'verified') }
const signed = new Map(), plain = new Map()
console.log(await codes(answer, memoryOf(signed), { keys: [key] }), [...signed.keys()], signed.get(unsigned.source)[0] === answer)
console.log(await codes(unsigned, memoryOf(signed)))
console.log(await codes(unsigned, memoryOf(plain)))
console.log(await codes(older, memoryOf(plain)))
console.log(await codes(silent, memoryOf(plain)))
console.log(await codes(silent))
console.log(await codes(unsigned, { recall: () => undefined, keep: async () => { throw new Error('the disk is full') } }))`
	const want = `stale,verified
stale,verified [ 'bench.example.org' ] true
SIGNATURE_LOST,,
stale,verified
OLDER_ANSWER,stale,verified
REVOCATION_LOST,stale,verified
verified,verified
UNREADABLE disk,stale,verified
`
	held, err := filepath.Abs("../../../examples/claims-held.json")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := filepath.Abs(stored)
	if err != nil {
		t.Fatal(err)
	}
	_, public := keys(t)
	key := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, public, 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(node, "--input-type=module", "--eval", script, held, answer, key)
	run.Dir = folder
	if out, err := run.CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}

// The types have the members of the records.
func TestTypes(t *testing.T) {
	types := read(t, "index.d.ts")
	member := regexp.MustCompile(`(?m)^  (\w+)\??:`)
	for name, kind := range map[string]reflect.Type{
		"Receipt": reflect.TypeFor[record.VerificationReceipt](), "AnswerReceipt": reflect.TypeFor[record.AnswerReceipt](),
		"ClaimReceipt": reflect.TypeFor[record.ClaimReceipt](), "Outcome": reflect.TypeFor[record.ReceiptOutcome](),
		"RecordID": reflect.TypeFor[record.RecordID](),
	} {
		_, body, _ := strings.Cut(types, "export interface "+name+" {")
		body, _, _ = strings.Cut(body, "\n}")
		var got, want []string
		for _, m := range member.FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		for f := range kind.Fields() {
			want = append(want, f.Tag.Get("json"))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}

// buildPackage makes the package in a folder of its own.
func buildPackage(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if out, err := exec.Command("./build", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(filepath.Join(folder, "verify.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	const most = 8 << 20 // of which gzip makes about a quarter
	if info.Size() > most {
		t.Errorf("the program has %d bytes, %d are the most", info.Size(), most)
	}
	return folder
}

// producer answers for the claims of the examples, signed.
func producer(t *testing.T) http.Handler {
	t.Helper()
	private, _ := keys(t)
	signer, err := verify.NewKeySigner(private)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := verify.ParseBundle(read(t, "../../../examples/claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	store, err := serve.NewMemoryStore(bundle)
	if err != nil {
		t.Fatal(err)
	}
	r, err := serve.NewResponder(store, serve.ResponderOptions{
		Source: "bench.example.org", StatusFunctionVersion: verify.StatusFunctionVersion, Signer: signer,
	})
	if err != nil {
		t.Fatal(err)
	}
	return serve.NewVerificationHandler(r, serve.VerificationOptions{Now: time.Now})
}

func receive(t *testing.T, answers []verify.Answer, now string) *record.VerificationReceipt {
	t.Helper()
	held, err := verify.ParseBundle(read(t, "../../../examples/claims-held.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, public := keys(t)
	key, err := verify.ParsePublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := verify.Receive(held, answers, verify.ReceiveOptions{
		Now: now, Keys: []*verify.PublicKey{key}, Require: record.StatusVerified,
	})
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keys returns the pair that the stored answer is signed with, of a seed that nobody should use.
func keys(t *testing.T) (private, public []byte) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	private = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
}
