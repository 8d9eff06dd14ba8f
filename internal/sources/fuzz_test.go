package sources_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// Whatever the default registry approves is the packaged manifest or a part of
// it, and all else is refused with a path.
func FuzzManifest(f *testing.F) {
	f.Add(sourcetest.Manifest(f).JSON())
	f.Add(manifest(declaration()))
	f.Add(manifest())
	f.Add(`{"schemaVersion":"service.approved-source-manifest/v1","sources":[{"id":"livebench"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parse(text, sources.DefaultRegistry())
		if err != nil {
			for _, e := range problem.All(err) {
				if e.Code != problem.InvalidSourceManifest || e.Path == "" || e.Reason == "" {
					t.Fatalf("%s %s", e.Code, e)
				}
			}
			return
		}
		packaged := sourcetest.Manifest(t)
		for _, s := range m.Sources() {
			if p := packaged.Source(s.ID); p == nil || p.JSON() != s.JSON() {
				t.Fatalf("approved: %s", s.JSON())
			}
		}
		if again, err := parse(m.JSON(), sources.DefaultRegistry()); err != nil || again.Digest() != m.Digest() {
			t.Fatalf("the normalized manifest is another: %v", err)
		}
	})
}

// An envelope that is accepted binds all that it says: written anew it is the
// same.
func FuzzEnvelope(f *testing.F) {
	f.Add(envelope("model,a\n", nil), "model,a\n")
	f.Add(envelope("", map[string]any{"etag": "x", "redirects": []string{"https://livebench.ai/x"}}), "")
	f.Fuzz(func(t *testing.T, text, body string) {
		file := sources.File{Body: problem.Source{Text: body}, Envelope: problem.Source{Text: text}}
		s, err := sources.Open(file, "livebench", sourcetest.Manifest(t))
		if err != nil {
			for _, e := range problem.All(err) {
				if e.Code != problem.InvalidSourceSnapshot || e.Path == "" || e.Reason == "" {
					t.Fatalf("%s %s", e.Code, e)
				}
			}
			return
		}
		e := s.Envelope()
		file.Envelope.Text = string(e.JSON())
		if again, err := sources.Open(file, "livebench", sourcetest.Manifest(t)); err != nil || again.Envelope().Reference != e.Reference {
			t.Fatalf("written anew: %v", err)
		}
	})
}

// Whatever a mapping is, of a list or of a leaderboard, it is refused with a path, or it is one that
// a draft goes on with as it is.
func FuzzMapping(f *testing.F) {
	f.Add(v2(litellm.Source, `"identity":"offer/v1","defaults":{"validUntil":"2027-01-01T00:00:00.000Z"},"entries":{"a":{"model":"m","decidedBy":{"person":"p"}},"b":null,"c":{"none":"x"}}`).Text)
	f.Add(v2(aider.Source, `"defaults":{"runtime":"r","validUntil":"2027-01-01T00:00:00.000Z"},"entries":{"a":{"model":{"id":"m","revision":null,"quantization":null},"workflowCondition":"effort=high"}}`).Text)
	f.Add(v2(aider.Source, `"defaults":{"runtime":1},"entries":{"a":{"model":"m"},"b":{"runtime":null}}`).Text)
	f.Fuzz(func(t *testing.T, text string) {
		for _, a := range []sources.Adapter{litellm.New(), aider.New()} {
			src := problem.Source{Name: "mapping", Text: text}
			if err := a.CheckMapping(src); err != nil {
				for _, e := range problem.All(err) {
					if e.Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(e.Path, "$") || e.Reason == "" || e.Place.Line < 1 {
						t.Fatalf("%s %s at %+v", e.Code, e, e.Place)
					}
				}
				continue
			}
			draft, err := sources.DraftMapping(a, nil, src)
			if err != nil {
				t.Fatalf("no draft: %v", err)
			}
			again, err := sources.DraftMapping(a, nil, problem.Source{Text: draft.JSON})
			if err != nil || again.JSON != draft.JSON {
				t.Fatalf("drafted anew it is another: %v", err)
			}
			if err := a.CheckMapping(problem.Source{Text: draft.JSON}); err != nil {
				t.Fatalf("what is drafted of a good mapping is wrong: %v\n%s", err, draft.JSON)
			}
		}
	})
}
