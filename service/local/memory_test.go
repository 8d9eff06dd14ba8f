package local_test

import (
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/verify"
)

// With a memory, an answer that was given before the last one is not taken, also in another run.
func TestAnswerMemory(t *testing.T) {
	held, folder := readBundle(t, "claims-held.json"), t.TempDir()
	server := newProducer(t, "claims.json", "")
	ask := func() []verify.Answer {
		answers, err := local.AskEndpoint(t.Context(), server.URL, held, local.EndpointOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return answers
	}
	receive := func(answers []verify.Answer) (codes string) {
		memory, err := local.OpenAnswerMemory(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		defer memory.Close()
		options := verify.ReceiveOptions{Now: time.Now().UTC().Format(time.RFC3339), Memory: memory, AllowFall: true}
		receipt, err := verify.Receive(held, answers, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range receipt.Outcomes {
			codes += string(o.Code) + " "
		}
		return codes
	}
	early := ask()
	time.Sleep(5 * time.Millisecond)
	for i, tt := range []struct {
		answers []verify.Answer
		want    string
	}{{ask(), ""}, {early, "OLDER_ANSWER "}, {ask(), ""}} {
		if got := receive(tt.answers); got != tt.want {
			t.Errorf("answer %d: %q, want %q", i, got, tt.want)
		}
	}
}
