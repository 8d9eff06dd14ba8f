package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/catalog"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// works are what is done with a catalog, all but comparing, which has a benchmark of its
// own. An error is one that the shape of a catalog deserves.
var works = map[string]func(ctx context.Context, c *catalog.Catalog) error{
	"validate": func(ctx context.Context, c *catalog.Catalog) error {
		_, err := catalog.Parse(ctx, problem.Source{Text: c.Serialize()})
		return err
	},
	"find": func(_ context.Context, c *catalog.Catalog) error {
		_, err := contents.Find(c, strings.Repeat("absent", 40))
		return err
	},
	"models": func(_ context.Context, c *catalog.Catalog) error {
		_, err := contents.Models(c, contents.Options{})
		return err
	},
	"keys": func(_ context.Context, c *catalog.Catalog) error {
		_, err := contents.Keys(c, contents.Options{})
		return err
	},
	"measurements": func(ctx context.Context, c *catalog.Catalog) error {
		found, err := contents.Find(c, c.Models()[0].Key)
		if err == nil {
			_, err = contents.Measurements(ctx, c, found.Models, contents.Options{})
		}
		return err
	},
	"absent source": func(_ context.Context, c *catalog.Catalog) error {
		_, err := contents.Keys(c, contents.Options{Source: "absent"})
		return err
	},
	"draft observation": func(_ context.Context, c *catalog.Catalog) error {
		_, err := contents.Draft(c, contents.DraftOptions{At: June2})
		return err
	},
	"draft request": func(_ context.Context, c *catalog.Catalog) error {
		_, err := v3.Draft(c, v3.Question{Keys: []string{"k"}, All: true})
		return err
	},
	"absent names": func(_ context.Context, c *catalog.Catalog) error {
		ranker, err := v3.New(c)
		if err != nil {
			return err
		}
		var names []v3.Name
		for i := range len(c.Serialize()) / 1000 { // more the larger the catalog is
			names = append(names, v3.Name{Kind: v3.KeyName, Text: fmt.Sprint("absent", i)}, v3.Name{Kind: v3.ModelName, Text: fmt.Sprint("absent", i)})
		}
		ranker.Absent(names)
		return nil
	},
	"rank": func(ctx context.Context, c *catalog.Catalog) error {
		ranker, err := v3.New(c)
		if err != nil {
			return err
		}
		candidates := list(min(128, len(c.Models())), func(i int) string {
			model := c.Models()[i].IdentityJSON
			if len(model) > v3.MaxTextBytes {
				model = `{"id":"m"}`
			}
			return fmt.Sprintf(`{"id":"c%d","model":%s,"execution":{"runtime":{"id":"r1"}}}`, i, model)
		})
		request, err := v3.ReadRequest(problem.Source{Text: `{"schemaVersion":"service.rank.request/v3","inventory":` + candidates + `,"preferences":[
			{"measurementKey":"k","aggregation":"mean","transfer":["execution"],"resolve":["most-specific","newest"],"direction":"maximize","weight":1},
			{"id":"fact","measurementKey":"k","aggregation":"fact","resolve":["newest"],"direction":"maximize","weight":0}]}`})
		if err != nil {
			return err
		}
		result, err := ranker.Rank(ctx, request, 0)
		if err == nil {
			_, err = result.AppendJSON(nil, 0)
		}
		return err
	},
	"lock": func(ctx context.Context, c *catalog.Catalog) error {
		var uses []record.LockedUse
		for i := range c.Models() {
			use := lock.Plain("r1", c.Models()[i].Identity.ID)
			use.ID += fmt.Sprint("#", i)
			use.Model = c.Models()[i].Identity
			uses = append(uses, use)
		}
		l, _, err := lock.Make(ctx, c, lock.Demand{Uses: uses, Watch: []string{"k"}}, nil)
		if err != nil {
			return err
		}
		text := l.Text()
		if l, err = lock.Read(problem.Source{Text: text}); err == nil {
			_, err = lock.Check(ctx, c, l, text, July1)
		}
		return err
	},
	"check elsewhere": func(ctx context.Context, c *catalog.Catalog) error {
		l := &lock.Lock{}
		for i := range c.Models() {
			for _, o := range c.Models()[i].Observations {
				use := lock.Plain("at "+o.ID(), "")
				use.Model, use.Facts = c.Models()[i].Identity, map[string]record.StatedValue{"k": {Value: record.Scalar{Kind: 't'}}}
				l.Uses = append(l.Uses, use)
			}
		}
		_, err := lock.Check(ctx, c, l, "", July1)
		return err
	},
	"settle": func(_ context.Context, c *catalog.Catalog) error {
		settle.Settle(c, settle.Decisions{Prefer: []string{"0", "1"}})
		sources.Corrections(c)
		return nil
	},
	"index for agents": func(_ context.Context, c *catalog.Catalog) error { _, err := agent.New(c, agent.Options{}); return err },
	"report": func(ctx context.Context, c *catalog.Catalog) error {
		return explore.WriteReport(ctx, io.Discard, c, explore.Extras{}, explore.ReportOptions{})
	},
}

func init() {
	for _, name := range export.Formats() {
		if name != "sqlite" {
			works["export to "+name] = func(ctx context.Context, c *catalog.Catalog) error {
				options := export.Options{Format: record.ExportFormat(name)}
				if options.Format == record.FormatCatwalk {
					options.Base = &problem.Source{Text: list(7, func(i int) string { return fmt.Sprintf(`{"id":"r%d","models":[]}`, i) })}
				}
				file, err := export.Text(ctx, c, options)
				if err == nil && (options.Format == record.FormatCatwalk || options.Format == record.FormatLiteLLM || options.Format == record.FormatModelsDev) {
					options.Base = &problem.Source{Text: file.Text} // which has a row for each offer
					_, err = export.Text(ctx, c, options)
				}
				return err
			}
		}
	}
}

// BenchmarkOmissions asks about as many models as a question may name. Half of a catalog are
// their namesakes, of which one has a score, and the other half have one, too.
func BenchmarkOmissions(b *testing.B) {
	vectortest.Doubling(b, 200, func(n int) func() {
		question := v3.Question{Maximize: []string{"k"}}
		var all []Statement
		for i := range n {
			id := fmt.Sprintf("lab%d/atlas", i)
			all = append(all, Statement{ID: id, Measurements: []any{Sample("other", 1)}}, Statement{ID: fmt.Sprint("lab/borealis", i), Measurements: []any{Sample("k", 1)}})
			if i < 128 {
				question.Models = append(question.Models, id)
			}
		}
		all = append(all, Statement{ID: "zeta/atlas", Measurements: []any{Sample("k", 1)}})
		c := Compile(b, June2, all...)
		return func() {
			draft, err := v3.Draft(c, question)
			if err != nil || len(draft.Omissions()) != 4 {
				b.Fatal(draft.Omissions(), err)
			}
		}
	})
}

// BenchmarkReportOfKeys reports on models that have each a key of their own: there are as many series
// as candidates, and most of them have nothing to do with each other.
func BenchmarkReportOfKeys(b *testing.B) {
	vectortest.Doubling(b, 40, func(n int) func() {
		var all []Statement
		for i := range n {
			all = append(all, Statement{ID: fmt.Sprintf("lab/m%d", i), Measurements: []any{Sample(fmt.Sprintf("k%d", i), i)}})
		}
		c := Compile(b, June2, all...)
		return func() {
			if err := works["report"](b.Context(), c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// list joins n texts that a function writes, and puts them in brackets.
func list(n int, write func(i int) string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = write(i)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// BenchmarkDoubling does everything with catalogs that are large in one way each.
func BenchmarkDoubling(b *testing.B) {
	for shape, statements := range Shapes {
		compiled := map[int]*catalog.Catalog{}
		for work, do := range works {
			switch isOfRuntimes := strings.HasSuffix(shape, "runtimes"); {
			case work == "report" && (isOfRuntimes || shape == "models of one id" || shape == "scopes and tasks"):
				continue // it compares each candidate with all that is known of models of that id, and has a bound for that
			case work == "check elsewhere" && !isOfRuntimes:
				continue // its lock grows, too: what is said of all runtimes is held against each use
			}
			b.Run(shape+"/"+work, func(b *testing.B) {
				vectortest.Doubling(b, 40, func(n int) func() {
					if compiled[n] == nil {
						old, new := statements(n)
						new = slices.Clone(new)
						for i := range new {
							if new[i].From == "" {
								new[i].From = May2
							}
						}
						compiled[n] = Compile(b, June2, slices.Concat(old, new)...)
					}
					return func() {
						err := do(b.Context(), compiled[n])
						if err != nil && !errors.Is(err, export.ErrNothing) && !errors.Is(err, lock.ErrNoFact) && !errors.As(err, new(*contents.AbsentError)) &&
							!errors.As(err, new(*v3.AbsentError)) && !errors.As(err, new(*v3.UnfitError)) {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}
