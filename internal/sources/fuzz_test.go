package sources_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
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

// Whatever a mapping is, it is refused with a path, or it is one that a draft goes
// on with as it is.
func FuzzMapping(f *testing.F) {
	f.Add(mapping(`"a":` + decided).Text)
	f.Add(mapping("").Text)
	f.Add(mapping(`"a": 1{"model":"}}`).Text)
	f.Fuzz(func(t *testing.T, text string) {
		src := problem.Source{Name: "mapping", Text: text}
		a := openrouter.New()
		if err := a.CheckMapping(src); err != nil {
			for _, e := range problem.All(err) {
				if e.Code != problem.InvalidSourceSnapshot || e.Path == "" || e.Reason == "" {
					t.Fatalf("%s %s", e.Code, e)
				}
			}
			return
		}
		draft, err := sources.DraftMapping(a, nil, src)
		if err != nil || len(draft.New) != 0 {
			t.Fatalf("no draft: %v", err)
		}
		again, err := sources.DraftMapping(a, labels(draft.Missing...), problem.Source{Text: draft.JSON})
		if err != nil || again.JSON != draft.JSON || len(again.Missing) != 0 {
			t.Fatalf("drafted anew it is another: %v", err)
		}
	})
}
