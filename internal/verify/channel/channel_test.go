package channel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

func digest(c string) string { return strings.Repeat(c, 64) }

// at returns an instant of a day.
func at(day string) string { return "2026-11-" + day + "T00:00:00.000Z" }

func described(c, day string) channel.Catalog {
	return channel.Catalog{Digest: digest(c), File: digest("f"), AsOf: at(day)}
}

// again reads what a channel has written.
func again(t *testing.T, c *channel.Channel) (*channel.Channel, *bundle.Bundle) {
	t.Helper()
	src := problem.Source{Name: "channel.json", Text: string(c.JSON())}
	b, err := bundle.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	read, err := channel.Read(src)
	if err != nil || string(read.JSON()) != src.Text || read.Source() != c.Source() || read.Current() != c.Current() {
		t.Fatalf("%s comes back as %+v, error %v", src.Text, read, err)
	}
	return read, b
}

// demand demands statuses of catalogs at an instant.
func demand(t *testing.T, b *bundle.Bundle, now string, want map[string]record.VerificationStatus) {
	t.Helper()
	for _, s := range verifytest.Function(t, now).Derive(b.StatusInput()) {
		d, ok := channel.Digest(s.ID)
		if !ok || s.Status != want[d[:1]] {
			t.Errorf("%s is %s, want %v", s.ID, s.Status, want)
		}
	}
}

// A catalog is verified until a newer one supersedes it, or it is withdrawn.
func TestChannel(t *testing.T) {
	c := channel.New("acme \"models\"")
	if c.Current() != "" {
		t.Errorf("at first the current one is %s", c.Current())
	}
	build := &record.CatalogBuild{SchemaVersion: "service.catalog.build/v1", AsOf: record.Timestamp(at("01")), Catalog: digest("a")}
	if err := c.Publish(described("a", "01"), build, at("02")); err != nil || c.Current() != digest("a") {
		t.Fatalf("the current one is %s, error %v", c.Current(), err)
	}
	c, b := again(t, c)
	demand(t, b, at("20"), map[string]record.VerificationStatus{"a": record.StatusVerified})
	if evidence := b.Record(bundle.KindEvidence, 0).JSON; !strings.Contains(evidence, `"metadata":{"build":{"asOf":"`+at("01")+`"`) {
		t.Errorf("the evidence is %s", evidence)
	}
	if err := c.Publish(described("b", "02"), nil, at("03")); err != nil {
		t.Fatal(err)
	}
	c, b = again(t, c)
	demand(t, b, at("20"), map[string]record.VerificationStatus{"a": record.StatusSuperseded, "b": record.StatusVerified})
	if err := c.Withdraw(digest("b"), "wrong \u2028", at("04")); err != nil || c.Current() != "" {
		t.Fatalf("the current one is %s, error %v", c.Current(), err)
	}
	c, b = again(t, c)
	demand(t, b, at("20"), map[string]record.VerificationStatus{"a": record.StatusSuperseded, "b": record.StatusStale})
	// The next one supersedes nothing.
	if err := c.Publish(described("c", "05"), nil, at("05")); err != nil {
		t.Fatal(err)
	}
	_, b = again(t, c)
	demand(t, b, at("20"), map[string]record.VerificationStatus{"a": record.StatusSuperseded, "b": record.StatusStale, "c": record.StatusVerified})
	for name, err := range map[string][2]error{
		"published again": {c.Publish(described("a", "01"), nil, at("06")), channel.ErrKnown},
		"withdrawn again": {c.Withdraw(digest("b"), "x", at("06")), channel.ErrWithdrawn},
		"too early":       {c.Withdraw(digest("c"), "x", at("04")), channel.ErrEarlier},
		"unknown":         {c.Withdraw(digest("d"), "x", at("06")), channel.ErrUnknown},
	} {
		if !errors.Is(err[0], err[1]) {
			t.Errorf("%s: %v, want %v", name, err[0], err[1])
		}
	}
}

// What a catalog says of itself is the claim that its source has of it.
func TestHeld(t *testing.T) {
	c := channel.New("acme")
	if err := c.Publish(described("a", "01"), nil, at("02")); err != nil {
		t.Fatal(err)
	}
	_, published := again(t, c)
	held, err := channel.Held("acme", described("a", "01"))
	if err != nil || !held.Record(bundle.KindClaim, 0).Equal(published.Record(bundle.KindClaim, 0)) {
		t.Errorf("%v, error %v", held, err)
	}
}

// The note is that of the last event before the instant.
func TestReadAnswer(t *testing.T) {
	c := channel.New("acme")
	for i, name := range []string{"a", "b"} {
		if err := c.Publish(described(name, "01"), nil, at([]string{"02", "03"}[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Withdraw(digest("a"), "wrong", at("04")); err != nil {
		t.Fatal(err)
	}
	answer := strings.TrimSuffix(string(c.JSON()), "}\n") + `,"metadata":{"respondedAt":"x","statusFunctionVersion":"4","requestedRefs":[],"unknownRefs":[]}}`
	for now, want := range map[string]channel.Answer{
		at("01"): {Source: "acme"},
		at("02"): {Source: "acme", Since: at("02")},
		at("03"): {Source: "acme", Since: at("03"), Note: "superseded by catalog:sha256:" + digest("b"), Successor: digest("b")},
		at("04"): {Source: "acme", Since: at("04"), Note: "wrong"},
	} {
		for _, text := range []string{answer, `{"bundle":` + answer + `}`} {
			got, err := channel.ReadAnswer(text, digest("a"), verifytest.Function(t, now).Now())
			if err != nil || got != want {
				t.Errorf("%s: %+v, error %v, want %+v", now, got, err, want)
			}
		}
	}
	if _, err := channel.ReadAnswer("{}", digest("a"), verifytest.Function(t, at("01")).Now()); err == nil {
		t.Error("nothing is an answer")
	}
}

// A bundle with other claims is no channel.
func TestReadOtherBundle(t *testing.T) {
	c := channel.New("acme")
	if err := c.Publish(described("a", "01"), nil, at("02")); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(c.JSON()), channel.Ref(digest("a")), "claim")
	_, err := channel.Read(problem.Source{Name: "x.json", Text: text})
	if faults := problem.All(err); len(faults) != 1 || faults[0].Path != "$.claims[0].id" {
		t.Errorf("%v", err)
	}
}

// A statement is about the file and about the content of a catalog.
func TestStatement(t *testing.T) {
	got := string(channel.Statement("catalog.json", described("a", "01"), nil))
	want := `{"_type":"https://in-toto.io/Statement/v1","predicate":null,"predicateType":"` + channel.PredicateType + `","subject":[` +
		`{"digest":{"sha256":"` + digest("f") + `"},"name":"catalog.json"},{"digest":{"sha256":"` + digest("a") + `"},"name":"catalog:sha256:` + digest("a") + `"}]}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
