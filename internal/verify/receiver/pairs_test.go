package receiver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// declaring returns the scene as a bundle that declares a version of the schema and
// holds what came with it.
func declaring(version int) string {
	text := scene(func(s *Scene) {
		switch version {
		case 7:
			s.Evidence += "," + strings.Replace(verifytest.ScenePiece("f", `"observedAt":"2026-02-03T00:00:00Z","passing":true`), "test_output", "runtime_observation", 1)
		case 8:
			s.Claim += `,"conclusionConfidence":{"value":0.5,"calibration":{"tableRef":"t","tableVersion":"1"}}`
		case 9:
			s.Evidence += "," + verifytest.ScenePiece("f", `"observedAt":"2026-02-03T00:00:00Z","supportStrength":"cited","inconclusive":{"reason":"timeout"}`)
		}
	})
	return strings.Replace(text, `"schemaVersion":5`, fmt.Sprintf(`"schemaVersion":%d`, version), 1)
}

// Producers and receivers of all versions work with each other, over a socket, as far
// as the content of an answer is known to the receiver: what it declares is the lowest
// version that it needs.
func TestPairs(t *testing.T) {
	lowest := map[int]int{5: 5, 6: 5, 7: 7, 8: 8, 9: 9}
	for produced := 5; produced <= 9; produced++ {
		for _, told := range status.Versions() {
			store, err := producer.NewMemoryStore(verifytest.Bundle(t, declaring(produced)))
			if err != nil {
				t.Fatal(err)
			}
			responder, err := producer.NewResponder(store, producer.ResponderOptions{Source: verifytest.Bundle(t, declaring(produced)).Source(), StatusFunctionVersion: string(told)})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(producer.NewHandler(responder, producer.HandlerOptions{}))
			defer server.Close()
			for held := 5; held <= 9; held++ {
				b := verifytest.Bundle(t, declaring(held))
				answers, err := receiver.Ask(t.Context(), b, receiver.AskOptions{}, poster(server.URL+producer.HachurePath))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf(`{"bundle":{"schemaVersion":%d,`, lowest[produced]); !strings.HasPrefix(answers[0].Text, want) {
					t.Errorf("what needs schema %d is answered as %.40s", produced, answers[0].Text)
				}
				want := "verified->verified"
				if told != status.DefaultVersion {
					want += " OTHER_VERSION"
				}
				if (produced == 8) != (held == 8) { // one has a calibration
					want += " CHANGED"
				}
				if produced != held && max(produced, held) == 9 && min(produced, held) == 7 { // the same id
					want = strings.Replace(want, "verified->verified", "verified->", 1) + " MERGE_COLLISION"
				}
				r := receiver.Receive(b, answers, receiver.Options{Function: verifytest.Function(t, time.Now().UTC().Format(time.RFC3339))})
				if got := outcomeOf(r); got != want {
					t.Errorf("held %d, produced %d by version %s: %s, want %s", held, produced, told, got, want)
				}
			}
		}
	}
}

// Receivers that know the schemas up to 7 alone read whatever does not need more.
func TestOldReceivers(t *testing.T) {
	folder := vectortest.Data(t, "vectors", "hachure")
	old, today := verifytest.Schema(t, folder+"/schemas"), verifytest.Schema(t, folder+"/0.18/schemas")
	for produced := 5; produced <= 9; produced++ {
		var answer struct{ Bundle map[string]any }
		verifytest.Decode(t, answerOf(t, declaring(produced), nil, "", "c"), &answer)
		delete(answer.Bundle, "metadata") // which the schemas do not have
		verifytest.Validate(t, today, answer.Bundle)
		if produced <= 7 {
			verifytest.Validate(t, old, answer.Bundle)
		}
	}
}

// poster asks an endpoint.
func poster(url string) func(ctx context.Context, question []byte) (io.ReadCloser, error) {
	return func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(question))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusOK {
			response.Body.Close()
			return nil, fmt.Errorf("answered %s", response.Status)
		}
		return response.Body, nil
	}
}
