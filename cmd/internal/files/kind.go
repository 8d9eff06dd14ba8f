package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Kind is a kind of file.
type Kind struct {
	Name string
	// Family is its schemaVersion without the version number, or [number] if that is
	// a number alone.
	Family string
}

const number = "a number"

// The kinds.
var (
	Observations  = Kind{"observations", "service.observation"}
	Catalog       = Kind{"catalog", "service.catalog"}
	RankRequest   = Kind{"rank request", "service.rank.request"}
	RankQuestion  = Kind{"rank question", "service.rank.question"}
	RankResult    = Kind{"rank result", "service.rank.result"}
	Explanation   = Kind{"rank explanation", "service.rank.explanation"}
	KeyDictionary = Kind{"dictionary of keys", "service.keys"}
	Contents      = Kind{"catalog contents", "service.catalog.contents"}
	CostTable     = Kind{"cost table", "service.cost.table"}
	Comparison    = Kind{"comparison", "service.comparison"}
	CatalogDiff   = Kind{"catalog diff", "service.catalog.diff"}
	Manifest      = Kind{"approved-source manifest", "service.approved-source-manifest"}
	Mapping       = Kind{"mapping", "service.source-mapping"}
	Envelope      = Kind{"snapshot envelope", "service.source.snapshot"}
	Proposal      = Kind{"revision proposal", "service.source-revision-proposal"}
	Acquisition   = Kind{"acquisition record", "service.source.acquisition"}
	ModelsLock    = Kind{"models lock", "service.models.lock"}
	ModelsCheck   = Kind{"models check", "service.models.check"}
	ExportReport  = Kind{"export report", "service.export.report"}
	CatalogLock   = Kind{"catalog lock", "service.catalog.lock"}
	CatalogBuild  = Kind{"build record", "service.catalog.build"}
	TrustBundle   = Kind{"trust bundle", number}
)

// Kinds are all kinds that there are.
func Kinds() []Kind {
	return []Kind{Observations, Catalog, RankRequest, RankQuestion, RankResult, Explanation, KeyDictionary, Contents,
		CostTable, Comparison, CatalogDiff, Manifest, Mapping, Envelope, Proposal, Acquisition, ModelsLock, ModelsCheck,
		ExportReport, CatalogLock, CatalogBuild, TrustBundle}
}

// indefinite is the name as it follows a verb.
func (k Kind) indefinite() string {
	switch {
	case k == Observations || k == Contents:
		return k.Name
	case strings.ContainsRune("aeiou", rune(k.Name[0])):
		return "an " + k.Name
	}
	return "a " + k.Name
}

// KindOf returns the kind of a file and the offset of the schemaVersion that says so,
// -1 if nothing does. The kind is the zero Kind if it is not known. What counts is the
// first record of a file that has a schemaVersion: the document, the first of those
// that come one a line, or an item of a list. Only observations come in lists, which
// may be empty.
func KindOf(source problem.Source) (k Kind, at int) {
	family, at := findFamily(source)
	all := Kinds()
	if i := slices.IndexFunc(all, func(k Kind) bool { return k.Family == family }); i >= 0 {
		k = all[i]
	}
	return k, at
}

func findFamily(source problem.Source) (family string, at int) {
	// The schemaVersion of a catalog comes after all its models: looking for it member
	// by member would be to read the file twice.
	if version, found := catalog.FindSchemaVersion(source.Text); found {
		return Catalog.Family, version.Start
	}
	r := ijson.NewReader(source.Text, "")
	if r.Kind() != '[' {
		family, at = familyOf(r)
		if at < 0 && ijson.IsLinesName(source.Name) {
			return Observations.Family, -1
		}
		return family, at
	}
	const most = 100 // records that are looked at: the first should have one
	l := r.List()
	for l.Next() && l.Index() < most {
		if family, at = familyOf(r); at >= 0 {
			return family, at
		}
	}
	if l.Index() < 0 && r.End() == nil {
		return Observations.Family, -1
	}
	return "", -1
}

// familyOf returns the family of the next value of a document.
func familyOf(r *ijson.Reader) (family string, at int) {
	if r.Kind() != '{' {
		r.Skip()
		return "", -1
	}
	for n := r.Names(); n.Next(); r.Skip() {
		if n.Name() != "schemaVersion" {
			continue
		}
		at = r.Offset()
		switch v := r.Value(); v.Kind {
		case '"':
			family, _, _ = strings.Cut(v.Text, "/")
		case '0':
			family = number
		}
		return family, at
	}
	return "", -1
}

// OtherKind returns err, which is what is wrong with a file as one of the wanted kind. A
// file of another kind would break most rules of that: for it the error says only which
// kind it is.
func OtherKind(source problem.Source, wanted Kind, err error) error {
	isAboutWhole := slices.ContainsFunc(problem.All(err), func(e *problem.Error) bool {
		return e.Path == "$" &&
			e.Reason == "must be an object"
	})
	if !isAboutWhole && !IsAboutSchema(err) {
		return err
	}
	if other := Expect(source, wanted); other != nil {
		return other
	}
	return err
}

// Expect returns an error that says which kind of file it is if that is known and not the
// wanted kind. Many things have a number for their version: those with claims are trust
// bundles.
func Expect(source problem.Source, wanted Kind) error {
	k, at := KindOf(source)
	if at < 0 || k == (Kind{}) || k.Family == wanted.Family || k == TrustBundle &&
		!strings.Contains(source.Text, `"claims"`) {
		return nil
	}
	return Named(source.Name, fmt.Errorf("holds %s, not %s", k.indefinite(), wanted.indefinite()))
}

// ReadKind reads a file of the wanted kind, which has at most so many bytes. A larger file of
// another kind is read whole, so that the error says which kind it is: its name is wrong, not
// its size.
func (in Input) ReadKind(ctx context.Context, wanted Kind, most int64) (problem.Source, error) {
	quietly := func(int64) {}
	source, err := in.Read(ctx, most, quietly)
	if errors.Is(err, files.ErrTooLarge) && in.IsRereadable() {
		if whole, failed := in.Read(ctx, MaxWhole, quietly); failed == nil {
			err = cmp.Or(Expect(whole, wanted), err)
		}
	}
	return source, err
}

// IsAboutSchema reports whether a fault that err carries is about the schemaVersion of
// a document.
func IsAboutSchema(err error) bool {
	return slices.ContainsFunc(problem.All(err), func(e *problem.Error) bool { return e.Path == "$.schemaVersion" })
}
