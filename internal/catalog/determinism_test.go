package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// manyObservations returns valid observations, all different, from the vectors.
func manyObservations(t testing.TB) []string {
	t.Helper()
	seen := map[string]bool{}
	var docs []string
	for _, v := range vectors[catalogVector](t, "catalogs.jsonl") {
		for _, doc := range texts(v.Observations) {
			if o, err := catalog.Normalize(doc); err == nil && !seen[o.ID()] {
				seen[o.ID()] = true
				docs = append(docs, doc)
			}
		}
	}
	if len(docs) < 1000 {
		t.Fatalf("the vectors hold %d observations", len(docs))
	}
	return docs
}

// The bytes depend on the set of observations and asOf alone: not on order,
// spelling, files or number of processors.
func TestCompileIsDeterministic(t *testing.T) {
	docs := manyObservations(t)
	if vectortest.IsShort() {
		docs = docs[:300]
	}
	want := oracleCompile(docs, asOf)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors := 1; processors <= 4; processors++ {
		runtime.GOMAXPROCS(processors)
		rnd := rand.New(rand.NewPCG(uint64(processors), 7))
		respelled := make([]string, len(docs))
		for i, doc := range docs {
			respelled[i] = respell(rnd, doc)
		}
		rnd.Shuffle(len(respelled), func(i, k int) { respelled[i], respelled[k] = respelled[k], respelled[i] })

		c, _, err := catalog.Compile(t.Context(), respelled, catalog.Options{AsOf: asOf})
		if err != nil || c.Serialize() != want {
			t.Errorf("%d processors: documents compile to other bytes (%v)", processors, err)
		}
		c, _, err = catalog.CompileSources(t.Context(), scatter(rnd, respelled), catalog.Options{AsOf: asOf})
		if err != nil || c.Serialize() != want {
			t.Errorf("%d processors: files compile to other bytes (%v)", processors, err)
		}
	}
	parsesBack(t, "all vectors", want)
}

// scatter puts observations into files of all three forms.
func scatter(rnd *rand.Rand, docs []string) []catalog.Source {
	var files []catalog.Source
	for len(docs) > 0 {
		n := min(len(docs), 1+rnd.IntN(300))
		part := docs[:n]
		docs = docs[n:]
		switch rnd.IntN(3) {
		case 0: // a list
			files = append(files, source(fmt.Sprintf("%d.json", len(files)), " ["+strings.Join(part, ",\n")+"]"))
		case 1: // one a line
			var lines strings.Builder
			for _, doc := range part {
				lines.WriteString(onOneLine(doc) + []string{"\n", "\r\n", "\n\n \n"}[rnd.IntN(3)])
			}
			files = append(files, source(fmt.Sprintf("%d.ndjson", len(files)), lines.String()))
		case 2: // each in its own
			for _, doc := range part {
				files = append(files, source(fmt.Sprintf("%d.json", len(files)), doc))
			}
		}
	}
	rnd.Shuffle(len(files), func(i, k int) { files[i], files[k] = files[k], files[i] })
	return files
}

// onOneLine drops white space outside strings.
func onOneLine(doc string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(doc)); err != nil {
		panic(err)
	}
	return b.String()
}

// Another asOf is another catalog, of the same observations.
func TestAsOfIsContent(t *testing.T) {
	docs := []string{named("a"), named("b")}
	early, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-07-16T15:00:57.683Z"})
	if err != nil {
		t.Fatal(err)
	}
	late := mustCompile(t, docs...)
	if early.Digest() == late.Digest() {
		t.Error("asOf does not change the digest")
	}
	if early.Models()[0].Observations[0] != late.Models()[0].Observations[0] {
		t.Error("asOf changes an observation")
	}
}

// An id does not depend on spelling, and Record holds what the JSON does.
func TestNormalizeIsCanonical(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 8))
	for _, doc := range append(manyObservations(t)[:300], evaluation, declaration) {
		o := accepted(t, "as it is", doc)
		for range 3 {
			spelling := respell(rnd, doc)
			if again := accepted(t, spelling, spelling); again.ID() != o.ID() || again.JSON() != o.JSON() {
				t.Errorf("%s\nis not the observation\n%s", spelling, doc)
			}
		}
		id := `"id":"` + o.ID() + `"`
		if strings.Count(o.JSON(), id) != 1 {
			t.Errorf("%s does not hold its id", o.JSON())
		}
	}
}
