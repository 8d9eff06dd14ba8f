package lmeval_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// told is today's file with what the harness was told: arguments of the model beyond
// its name, members of the configuration, and members of the file.
func told(args, config, file string) string {
	text := strings.Replace(today, "pretrained=acme/atlas,dtype=float32", "pretrained=acme/atlas"+args, 1)
	text = strings.Replace(text, `"limit":null`, `"limit":null`+config, 1)
	return strings.Replace(text, `"task_hashes":{}`, `"task_hashes":{}`+file, 1)
}

// runs imports files of one model, with a mapping whose entry names a runtime.
func runs(t *testing.T, runtime string, bodies ...string) *sources.Result {
	t.Helper()
	var files []sources.File
	for i, body := range bodies {
		f, err := sourcetest.TryPin(t, lmeval.Source, fmt.Sprint(urn, "-", i), fetchedAt, body)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	mapping := problem.Source{Name: "mapping", Text: `{"schemaVersion":"service.source-mapping/v2","source":"lm-eval","entries":{"acme/atlas":{
		"model":"acme/atlas","runtime":"` + runtime + `","adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,
		"families":{},"defaultFamily":"general","validUntil":"2027-01-01T00:00:00.000Z"}}}`}
	r, err := sourcetest.Import(t, lmeval.New(), mapping, files...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// conditions are the scores of gsm8k by the condition under which they were reached.
func conditions(r *sources.Result) map[string][]string {
	all := map[string][]string{}
	for _, o := range r.Observations {
		if rec := o.Record(); rec.Task.TaskID == "gsm8k" {
			score := values(rec)["lm-eval.gsm8k.exact_match.strict-match"]
			all[string(rec.Execution.Workflow.Condition)] = append(all[string(rec.Execution.Workflow.Condition)], score)
		}
	}
	return all
}

// Runs that were told different things are told apart: three runs of one model that
// gave 0.212, 0.927 and 0.927 never come out as 0.689. Those that were told the same
// repeat each other.
func TestSettings(t *testing.T) {
	score := func(body, value string) string {
		return strings.Replace(body, `"exact_match,strict-match":0.5,`, `"exact_match,strict-match":`+value+`,`, 1)
	}
	const chat = `,"chat_template":"{% for message in messages %}"`
	r := runs(t, "transformers",
		score(told("", "", ""), "0.212"),
		score(told("", "", chat+`,"total":1`), "0.927"),
		score(told("", "", chat), "0.927"))
	got := conditions(r)
	if plain := got["num_fewshot=5"]; !slices.Equal(plain, []string{"0.212"}) || len(got) != 2 {
		t.Errorf("conditions %v", got)
	}
	for condition, scores := range got {
		if condition != "num_fewshot=5" && (!strings.HasPrefix(condition, "chat_template=sha256:") || !slices.Equal(scores, []string{"0.927", "0.927"})) {
			t.Errorf("%s: %v", condition, scores)
		}
	}

	for name, body := range map[string]string{
		"add_bos_token=true":        told(",add_bos_token=True", "", ""),
		"dtype=bfloat16":            told(",dtype=bfloat16", "", ""),
		"fewshot_as_multiturn=true": told("", "", `,"fewshot_as_multiturn":true`),
		"gen.temperature=0.7":       told("", `,"gen_kwargs":{"temperature":0.7}`, ""),
		"gen.max_gen_toks=1024":     told("", `,"gen_kwargs":"max_gen_toks=1024"`, ""),
		"system_prompt=sha256:":     told("", "", `,"system_instruction":"You are a pirate."`),
		"tokenizer=sha256:":         told(",tokenizer=/home/somebody/tokenizer", "", ""),
		"api_key=sha256:":           told(",api_key=secret", "", ""),
		"auth_token=sha256:":        told(",auth_token=secret", "", ""),
		"num_fewshot=5":             told(",add_bos_token=False,dtype=auto,trust_remote_code=False", `,"gen_kwargs":{}`, `,"fewshot_as_multiturn":false,"chat_template":null,"system_instruction":""`),
		"enable_thinking=false":     strings.Replace(today, `"pretrained=acme/atlas,dtype=float32"`, `{"pretrained":"acme/atlas","enable_thinking":false,"peft":null}`, 1),
		"limit=10":                  strings.Replace(strings.Replace(today, `"limit":null`, `"limit":10`, 1), `"effective":1319`, `"effective":10`, 1),
		"sha256:":                   told(`,max memory=1`, "", ""),
		"gen.stop=sha256:":          told("", `,"gen_kwargs":{"stop":["\n\n","}"]}`, ""),
	} {
		got := slices.Collect(maps.Keys(conditions(runs(t, "transformers", body))))
		if len(got) != 1 || !slices.ContainsFunc(strings.Split(got[0], ","), func(part string) bool {
			return part == name || strings.HasSuffix(name, ":") && strings.HasPrefix(part, name)
		}) {
			t.Errorf("%s: the condition is %q", name, got)
		}
		if name == "num_fewshot=5" && got[0] != name {
			t.Errorf("defaults are told as %q", got[0])
		}
		if strings.Contains(got[0], "secret") || strings.Contains(got[0], "somebody") || strings.Contains(got[0], "pirate") {
			t.Errorf("%s: the condition tells too much: %q", name, got)
		}
	}
}

// What loaded the model is held against the runtime that the mapping names.
func TestRuntimeDiffers(t *testing.T) {
	for runtime, differs := range map[string]bool{"transformers": false, "hf": false, "vllm": true, "acme-cloud": true} {
		r := runs(t, runtime, told("", "", ""))
		told := 0
		for _, d := range r.Diagnostics {
			if d.Reason == sources.RuntimeDiffers {
				told++
				if d.Row != "acme/atlas" || !strings.Contains(d.Message, `"hf"`) || !strings.Contains(d.Message, runtime) || d.IsRow {
					t.Errorf("%+v", d)
				}
			}
		}
		if (told > 0) != differs || len(r.Observations) != 3 {
			t.Errorf("%s: %d diagnostics, %d observations", runtime, told, len(r.Observations))
		}
	}
}
