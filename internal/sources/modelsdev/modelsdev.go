// Package modelsdev reads models.dev: a tree of TOML files, as the tar of a
// commit, in which a file is what one provider says of one model.
//
//	<top>/providers/<provider>/models/<local id>.toml   a row
//	<top>/models/<lab>/<id>.toml                        what rows may be built on
//
// The tree is read as its own builder reads it. A row may be a symbolic link to
// another, and over the years rows came to repeat each other in three ways, all of
// which are read, whichever the tree has:
//
//	until April 2026   every file is whole
//	until June 2026    [extends] from = "<provider>/<id>", omit = ["cost.tiers"]
//	since              base_model = "<lab>/<id>", base_model_omit = ["limit.input"]
//
// Tables are then merged member by member, the row's own values win, lists are
// replaced as a whole, and at last what is to be omitted is taken out.
//
// Prices are in USD per million tokens. Numbers stay the text that stands in the
// file until they are in USD per token, so that 0.8 per million is the same price
// here as 8e-07 elsewhere.
package modelsdev

import (
	"archive/tar"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "models-dev"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewPriceAdapter(sources.PriceList{
		Source:      Source,
		PublishedAt: PublishedAt,
		Commit:      Commit,
		Version:     "1",
		Kind:        "price-list-row",
		Read:        func(body, _ string) (*offer.Listing, error) { return Read(body) },
		Level:       record.LevelModerate,
		Basis:       "models.dev, a list that its contributors keep",
		Gaps:        []string{"who looked the value up, and when, is not told"},
	})
}

// Read reads the tree. Faults have code INVALID_SOURCE_SNAPSHOT, paths from $, the
// beginning of the body, followed by the name of an entry of the tar, and as
// offset that of the entry's header.
func Read(body string) (*offer.Listing, error) {
	t, err := readTar(body)
	if err != nil {
		return nil, err
	}
	files, err := listFiles(t)
	if err != nil {
		return nil, err
	}
	l := list{
		files:    files,
		runtimes: offer.ReadRuntimes(Source),
		drafts: offer.Drafts{Conventions: offer.Conventions{PriceExponent: -6, PriceKind: offer.Number,
			SharedLimit: offer.LimitContext}},
	}
	rows := make([]offer.Row, len(files.rows))
	for i, f := range files.rows {
		rows[i] = l.row(f)
	}
	if files.tooDeep != nil {
		return nil, refuse(files.tooDeep.path(), files.tooDeep.start, "is nested deeper than %d", maxNesting)
	}
	listing := offer.NewListing(rows)
	listing.LocateNotes(t.locate)
	return listing, nil
}

// PublishedAt returns when the tree of a tar was committed, as a timestamp: the
// time that all its entries have, false if they differ.
func PublishedAt(body string) (at string, ok bool) {
	t, err := readTar(body)
	if err != nil || !t.isOfOne {
		return "", false
	}
	return timestamp.Format(t.modified)
}

// Commit returns the commit that a tar says that it is of, "" if it does not say.
func Commit(body string) string {
	h, err := tar.NewReader(strings.NewReader(body)).Next()
	if err != nil || h.Typeflag != tar.TypeXGlobalHeader {
		return ""
	}
	if commit := h.PAXRecords["comment"]; sources.IsRevision(sources.GrammarSHA, commit) {
		return strings.Clone(commit)
	}
	return ""
}

// list is the reading of the rows of a tree.
type list struct {
	files    *files
	runtimes *offer.Runtimes
	drafts   offer.Drafts
}

func (l *list) row(f *file) offer.Row {
	provider, id, _ := strings.Cut(f.id, "/")
	d := l.drafts.Begin(f.id, ijson.PathOf(f.name), 0)
	d.Place(problem.Start(f.name))
	if !ijson.IsText(id) {
		return d.Skip(offer.RowNoID, "has the id %s, which no model can have", canonical.Quote(id))
	}
	merged := l.files.merge(f)
	if fault := merged.fault; fault != nil {
		if fault.at != (problem.Place{}) {
			d.Place(fault.at)
		}
		return d.Skip(fault.reason, "%s", fault.why)
	}
	d.Offer(l.runtimes.Provider(provider), id, true)
	r := row{d, merged}
	r.take()
	r.describe(l.files.sellers[provider])
	return d.Row()
}

// row is a row that is read, with what it took over.
type row struct {
	*offer.Draft
	*mergedRow
}

func (r row) take() {
	for _, m := range r.doc.Members {
		switch m.Name {
		case "cost":
			r.cost(m.Value)
		case "limit":
			r.limit(m.Value)
		case "modalities":
			r.modalities(m.Value)
		case "tool_call":
			r.Flag(offer.Tools, m.Name, m.Value)
		case "structured_output":
			r.Flag(offer.StructuredOutputs, m.Name, m.Value)
		case "reasoning":
			r.Flag(offer.Reasons, m.Name, m.Value)
		case "open_weights":
			r.Flag(offer.OpenWeights, m.Name, m.Value)
		case "release_date":
			r.Day(offer.Released, m.Name, m.Value)
			r.Doubt(offer.Lifecycle, "a release date may be the day on which a router listed the model")
		case "knowledge":
			r.Month(offer.KnowledgeCutoff, m.Name, m.Value)
		case "status":
			r.Word(offer.Status, m.Name, m.Value)
		case "id", "name", "family", "last_updated", "attachment", "temperature", "reasoning_options", "experimental",
			"provider", "interleaved":
		default:
			r.Unknown(m.Name)
		}
	}
	if r.own.Get("cost") == nil {
		r.Doubt("price.", "the row has no prices of its own: it has those of what it extends")
	}
}

// describe takes how the offer is called: what its provider says, and the row otherwise.
func (r row) describe(seller *offer.Value) {
	_, extended, _ := strings.Cut(r.own.Get("extends").Get("from").Characters(), "/") // which begins with a provider
	r.Base(cmp.Or(r.own.Get("base_model").Characters(), extended))
	own := r.doc.Get("provider")
	state := func(key, member string, from, v *offer.Value) {
		switch {
		case v.Lacks():
		case from == own:
			r.Word(key, "provider."+member, v)
		default:
			r.Word(key, "provider.toml."+member, v)
		}
	}
	for key, member := range map[string]string{record.OfferAPI: "api", record.OfferClient: "npm",
		record.OfferDocs: "doc"} {
		from := seller
		if own.Get(member) != nil {
			from = own
		}
		state(key, member, from, from.Get(member))
	}
	if env := seller.Get("env"); env != nil {
		names, _ := env.Strings()
		if name := keyVariable(names); name != "" {
			r.Word(record.OfferKeyVariable, "provider.toml.env", &offer.Value{Kind: offer.String, Text: name,
				Offset: env.Offset})
		}
	}
	// which is what OpenAI's client calls chat completions
	modes := map[string]string{"responses": "responses", "completions": "chat"}
	if shape := own.Get("shape"); modes[shape.Characters()] != "" {
		r.State(record.OfferMode, offer.Text(modes[shape.Text]), "provider.shape", shape)
	}
}

// keyVariable returns which of the variables that a provider names has the key: others have
// regions and names of accounts.
func keyVariable(names []string) string {
	for _, part := range []string{"API_KEY", "TOKEN", "_PAT", "CREDENTIALS"} {
		for _, name := range names {
			if strings.Contains(name, part) {
				return name
			}
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// prices are the members of cost that are prices of tokens of text.
var prices = map[string]string{
	"input":       offer.Input,
	"output":      offer.Output,
	"cache_read":  offer.CacheRead,
	"cache_write": offer.CacheWrite,
	"reasoning":   offer.Reasoning,
}

func (r row) cost(v *offer.Value) {
	if v.Kind != offer.Table {
		r.Invalid("cost", v, "a table of prices")
		return
	}
	varying := varyingPrices(v.Get("tiers"))
	for _, m := range v.Members {
		member := "cost." + m.Name
		switch {
		case slices.Contains(varying, m.Name):
		case m.Name == "tiers":
			r.tiers(member, m.Value)
		case m.Name == "context_over_200k":
			const context = 200_000
			r.prices(member, "cost.context_over_200k", offer.Band{Context: context}, m.Value)
		default:
			r.price(member, member, offer.Band{}, m)
		}
	}
}

// prices takes the members of a table of prices of one band. Name is that of the
// table, where it is one of several.
func (r row) prices(member, name string, b offer.Band, v *offer.Value) {
	if v.Kind != offer.Table {
		r.Invalid(member, v, "a table of prices")
		return
	}
	for _, m := range v.Members {
		if m.Name != "tier" {
			r.price(member+"."+m.Name, name+"."+m.Name, b, m)
		}
	}
}

func (r row) price(member, name string, b offer.Band, m offer.Member) {
	price, ok := prices[m.Name]
	switch {
	case !ok && m.Name != "input_audio" && m.Name != "output_audio":
		r.Unknown(name)
	case ok:
		r.Price(price, b, member, m.Value)
	}
}

// varyingPrices returns the names of the prices that have others at some hours of the day.
func varyingPrices(tiers *offer.Value) (names []string) {
	if tiers == nil {
		return nil
	}
	for _, item := range tiers.Items {
		if isTimed(item) {
			names = append(names, pricesOf(item)...)
		}
	}
	return names
}

// isTimed reports whether the prices of a tier hold at some hours of the day alone.
func isTimed(tier *offer.Value) bool { return tier.Get("tier").Get("type").Characters() == "time" }

// pricesOf returns the names of the prices of a tier.
func pricesOf(tier *offer.Value) (names []string) {
	for _, m := range tier.Members {
		if _, isPrice := prices[m.Name]; isPrice {
			names = append(names, m.Name)
		}
	}
	return names
}

// tiers takes the prices of longer prompts:
//
//	[[cost.tiers]]
//	tier = { type = "context", size = 200_000 }
//	input = 4
func (r row) tiers(member string, v *offer.Value) {
	if v.Kind != offer.List {
		r.Invalid(member, v, "a list of tiers")
		return
	}
	for i, item := range v.Items {
		at := member + "[" + strconv.Itoa(i) + "]"
		tier := item.Get("tier")
		size, kind := tier.Get("size"), tier.Get("type")
		if isTimed(item) {
			r.Varies(at, item, pricesOf(item))
			continue
		}
		if size == nil || kind != nil && kind.Text != "context" {
			r.Invalid(at, item, "a tier of a size of the context")
			continue
		}
		n, ok := size.Count()
		if !ok || n == 0 {
			r.Invalid(at+".tier.size", size, "a number of tokens")
			continue
		}
		r.prices(at, "cost.tiers", offer.Band{Context: n}, item)
	}
}

func (r row) limit(v *offer.Value) {
	if v.Kind != offer.Table {
		r.Invalid("limit", v, "a table of limits")
		return
	}
	keys := map[string]string{"context": offer.LimitContext, "input": offer.LimitInput, "output": offer.LimitOutput}
	for _, m := range v.Members {
		if key, ok := keys[m.Name]; ok {
			r.Limit(key, "limit."+m.Name, m.Value)
		} else {
			r.Unknown("limit." + m.Name)
		}
	}
}

// modalities takes lists that name all modalities that there are.
func (r row) modalities(v *offer.Value) {
	if v.Kind != offer.Table {
		r.Invalid("modalities", v, "a table of modalities")
		return
	}
	keys := map[string]func(string) string{"input": offer.InputModality, "output": offer.OutputModality}
	for _, m := range v.Members {
		member := "modalities." + m.Name
		key, ok := keys[m.Name]
		if !ok {
			r.Unknown(member)
			continue
		}
		r.Modalities(key, member, m.Value)
	}
}
