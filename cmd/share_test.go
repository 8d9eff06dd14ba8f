package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// The scripts of svc export, lock, check and mcp. Besides the usual commands they have
//
//	capture FILE TIME OUT    makes observations of what OpenRouter's list said at a time,
//	                         under the keys of the shared vocabulary, valid for a week
//
// and the condition [data], with the captures of real days in the folder $DAYS. The
// examples of the documentation are in $EXAMPLES.
func TestShareScripts(t *testing.T) {
	days := ""
	if folder := vectortest.DataFolder(t); folder != "" {
		days = filepath.Join(folder, "data", "openrouter")
	}
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/sharescript",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			passVariables(env)
			env.Setenv("DAYS", days)
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"misuse":  misuse,
			"capture": capture,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "data" {
				return days != "", nil
			}
			return false, errors.New("unknown condition")
		},
	})
}

// routed is what the list says of a model.
type routed struct {
	ID           string
	Pricing      map[string]any
	Architecture struct {
		Input  []string `json:"input_modalities"`
		Output []string `json:"output_modalities"`
	}
	TopProvider struct {
		Context *int `json:"context_length"`
		Output  *int `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Parameters []string `json:"supported_parameters"`
	Retires    *string  `json:"expiration_date"`
}

func capture(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: capture FILE TIME OUT")
	}
	var rows []routed
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &rows))
	at, err := time.Parse(time.RFC3339, args[1])
	ts.Check(err)
	var out strings.Builder
	for i := range rows {
		for _, o := range rows[i].observations(at.UTC()) {
			line, err := json.Marshal(o)
			ts.Check(err)
			out.Write(append(line, '\n'))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(out.String()), 0o600))
}

func (r *routed) observations(at time.Time) (list []any) {
	const layout = "2006-01-02T15:04:05.000Z"
	declare := func(member string, measurements ...any) {
		if len(measurements) == 0 {
			return
		}
		list = append(list, map[string]any{
			"schemaVersion": "service.observation/v2", "kind": "declaration",
			"model": map[string]any{"id": r.ID, "revision": nil, "quantization": nil},
			"execution": map[string]any{"kind": "partial", "runtime": map[string]any{"id": "openrouter", "version": nil}, "adapter": nil,
				"effectiveContextTokens": nil, "toolSurface": nil, "hardware": nil, "workflow": nil},
			"task": nil, "measurements": measurements, "outcome": nil, "usage": nil, "sourceClass": "external",
			"evidence": []any{map[string]any{"id": "openrouter-models:" + r.ID + "#" + member + "@" + at.Format(layout), "kind": "api-row",
				"uri": "https://openrouter.ai/api/v1/models", "digest": nil, "observedAt": at.Format(layout)}},
			"freshness":   map[string]any{"observedAt": at.Format(layout), "validUntil": at.Add(7 * 24 * time.Hour).Format(layout)},
			"uncertainty": map[string]any{"level": "low", "basis": []string{"what the router sells"}, "gaps": []string{}},
		})
	}
	fact := func(key string, value any, unit string) any {
		m := map[string]any{"key": key, "kind": "fact", "value": value}
		if unit != "" {
			m["unit"] = unit
		}
		return m
	}
	for member, key := range map[string]string{"prompt": "price.input", "completion": "price.output", "input_cache_read": "price.cache_read", "input_cache_write": "price.cache_write"} {
		text, _ := r.Pricing[member].(string)
		price, err := strconv.ParseFloat(text, 64)
		if err == nil && price >= 0 && (price > 0 || member == "prompt" || member == "completion") {
			declare("pricing."+member, fact(key, price, "USD/token"))
		}
	}
	if n := r.TopProvider.Context; n != nil && *n > 0 {
		declare("context", fact("limits.context", *n, "tokens"))
	}
	if n := r.TopProvider.Output; n != nil && *n > 0 {
		declare("output", fact("limits.output", *n, "tokens"))
	}
	has := func(list []string, word string) bool {
		return strings.Contains("\n"+strings.Join(list, "\n")+"\n", "\n"+word+"\n")
	}
	var modalities []any
	for _, medium := range []string{"text", "image", "audio", "video", "pdf"} {
		name := strings.Replace(medium, "pdf", "file", 1)
		modalities = append(modalities, fact("modality.input."+medium, has(r.Architecture.Input, name), ""), fact("modality.output."+medium, has(r.Architecture.Output, name), ""))
	}
	declare("modalities", modalities...)
	declare("parameters", fact("capability.tools", has(r.Parameters, "tools"), ""), fact("capability.reasoning", has(r.Parameters, "reasoning"), ""),
		fact("capability.structured_outputs", has(r.Parameters, "structured_outputs"), ""))
	if r.Retires != nil && *r.Retires != "2098-12-31" {
		declare("expiration", fact("lifecycle.retires", *r.Retires, ""))
	}
	return list
}

// Every reason for which an export leaves something out has words.
func TestReasonWords(t *testing.T) {
	field, _ := reflect.TypeFor[record.ExportOmission]().FieldByName("Reason")
	reasons := strings.Fields(field.Tag.Get("is"))
	for _, reason := range reasons {
		if reasonWords[record.ExportReason(reason)] == "" {
			t.Errorf("nothing is said of %s", reason)
		}
	}
	if len(reasons) != len(reasonWords) {
		t.Errorf("there are words for %d reasons, of %d", len(reasonWords), len(reasons))
	}
}
