package export

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is LiteLLM's price map: one object, with a row for each model of each
// provider, in USD per token. LiteLLM counts an absent price as 0, and aider, which
// reads the same rows, uses a row whole.

type litellmMap struct {
	*base
	report   *record.ExportReport
	runtimes *offer.Runtimes
	rows     map[offer.Offer]*row
	named    map[string]map[string]int // by runtime: how many rows name which provider
	layout   layout                    // of new rows
	fresh    []member
	taken    map[offer.Offer]bool // of new rows, as LiteLLM reads their names

	guard   sync.Mutex
	sellers map[string]seller // by runtime, of new rows
}

// newLiteLLM reads the rows of a map: those that importing it would take, under the
// offers that they would become.
func newLiteLLM(b *base, source problem.Source, report *record.ExportReport) (*litellmMap, error) {
	m := &litellmMap{base: b, report: report, runtimes: offer.ReadRuntimes(litellm.Source),
		rows: map[offer.Offer]*row{}, named: map[string]map[string]int{}, sellers: map[string]seller{},
		taken: map[offer.Offer]bool{}}
	if b.root.Kind != offer.Table {
		return nil, b.refuse(source, b.root, "$", "must be an object")
	}
	if n := len(b.root.Members); n > 0 {
		m.layout = b.layoutOf(b.root.Members[n-1].Value)
	}
	listing, err := litellm.Read(source.Text)
	if err != nil {
		return nil, err
	}
	for i := range listing.Rows {
		from := &listing.Rows[i]
		if from.Skip != "" {
			continue
		}
		object := b.root.Get(from.ID)
		says := map[string]record.Scalar{}
		for _, d := range from.Declarations {
			for _, f := range d.Facts {
				says[f.Key] = f.Value
			}
		}
		m.rows[from.Offer] = &row{base: b, name: from.ID, report: report, object: object, says: says}
		counts := m.named[from.Offer.Runtime]
		if counts == nil {
			counts = map[string]int{}
			m.named[from.Offer.Runtime] = counts
		}
		counts[object.Get("litellm_provider").Text]++
	}
	return m, nil
}

func (m *litellmMap) row(s *sold) *row { return m.rows[s.Offer] }

func (m *litellmMap) needs(s *sold) []string {
	if _, ok := s.fact(offer.LimitContext); ok { // it will do
		return []string{"price.input", "price.output", offer.OutputModality("text")}
	}
	return []string{"price.input", "price.output", offer.LimitInput, offer.OutputModality("text")}
}

// litellmPrices are the members for prices without bands.
var litellmPrices = []struct{ name, member string }{
	{offer.Input, "input_cost_per_token"},
	{offer.Output, "output_cost_per_token"},
	{offer.CacheRead, "cache_read_input_token_cost"},
	{offer.CacheWrite, "cache_creation_input_token_cost"},
	{offer.Reasoning, "output_cost_per_reasoning_token"},
}

// litellmFlags are the members that are true or false, and what lists of the row must
// not say otherwise.
var litellmFlags = []struct{ key, member, list, medium string }{
	{"modality.input.image", "supports_vision", "supported_modalities", "image"},
	{"modality.input.audio", "supports_audio_input", "supported_modalities", "audio"},
	{"modality.input.video", "supports_video_input", "supported_modalities", "video"},
	{"modality.input.pdf", "supports_pdf_input", "supported_modalities", "pdf"},
	{"modality.output.audio", "supports_audio_output", "supported_output_modalities", "audio"},
	{offer.Tools, "supports_function_calling", "", ""},
	{offer.StructuredOutputs, "supports_response_schema", "", ""},
	{offer.Reasons, "supports_reasoning", "", ""},
}

func (m *litellmMap) write(r *row, s *sold) {
	// tell gives a member the value of a key, unless the row says it already, wherever.
	tell := func(key, member, json string, value record.Scalar) {
		s.tell(key)
		if r.says[key] != value {
			r.set(member, json, func(*offer.Value) bool { return false })
		}
	}
	for _, price := range litellmPrices {
		key := "price." + price.name
		if v, ok := s.number(key); ok {
			tell(key, price.member, v.Text, v)
		}
		for _, b := range s.bands(key) {
			if name, ok := litellmBand(price.member, b.Band); ok {
				v, _ := s.number(b.key)
				tell(b.key, name, v.Text, v)
			}
		}
	}
	m.writeLimits(r, s, tell)
	for _, flag := range litellmFlags {
		f, known := s.fact(flag.key)
		if !known {
			continue
		}
		is := f.value.Kind == 't'
		if list := r.object.Get(flag.list); list != nil && !is && slices.ContainsFunc(list.Items,
			func(v *offer.Value) bool { return v.Text == flag.medium }) {
			m.correct(r, list, flag.list, flag.medium)
		}
		tell(flag.key, flag.member, flagJSON(is), f.value)
	}
	if is, known := s.is(offer.OutputModality("text")); known && is {
		s.tell(offer.OutputModality("text")) // by the mode, where the row is of the base
	}
	if r.isNew {
		writeModalities(r, s, "supported_modalities", offer.InputModality)
		writeModalities(r, s, "supported_output_modalities", offer.OutputModality)
	}
	if f, ok := s.fact(offer.Deprecated); ok && len(f.value.Text) == len("YYYY-MM-DD") {
		tell(offer.Deprecated, "deprecation_date", canonical.Quote(f.value.Text), f.value)
	}
}

// writeModalities gives a new row the list of those that the model is known to have.
func writeModalities(r *row, s *sold, list string, key func(name string) string) {
	var names []string
	for _, name := range []string{"text", "image", "audio", "video", "pdf"} {
		if is, _ := s.is(key(name)); is {
			names = append(names, canonical.Quote(name))
			s.tell(key(name))
		}
	}
	if names != nil {
		r.set(list, "["+strings.Join(names, ",")+"]", func(*offer.Value) bool { return false })
	}
}

// litellmBand returns the member for a band of a price. Its name has the context in
// thousands, so that it has none for others.
func litellmBand(member string, b offer.Band) (name string, ok bool) {
	const thousand = 1000
	if b.Context%thousand != 0 || b.TTL != "" && b.TTL != offer.Hour {
		return "", false
	}
	if b.TTL != "" {
		member += "_above_1hr"
	}
	if b.Context > 0 {
		member += "_above_" + uintText(b.Context/thousand) + "k_tokens"
	}
	return member, true
}

// correct takes a modality out of a list.
func (m *litellmMap) correct(r *row, list *offer.Value, name, medium string) {
	var items []*offer.Value
	var texts []string
	for _, item := range list.Items {
		if item.Text != medium {
			items = append(items, item)
			texts = append(texts, m.literal(item))
		}
	}
	list.Items = items
	// It may be the second time that the list is corrected.
	m.edits = slices.DeleteFunc(m.edits, func(e edit) bool { return e.start == list.Offset })
	m.report.Changed = slices.DeleteFunc(m.report.Changed, func(c record.ExportedChange) bool {
		return c.Row == r.name &&
			c.Member == name
	})
	r.set(name, "["+strings.Join(texts, ",")+"]", func(*offer.Value) bool { return false })
}

// writeLimits writes the limits. The list has one of the input, not of the context,
// which stands in where the input has none.
func (m *litellmMap) writeLimits(r *row, s *sold, tell func(key, member, json string, value record.Scalar)) {
	if v, ok := s.number(offer.LimitInput); ok {
		tell(offer.LimitInput, "max_input_tokens", v.Text, v)
	} else if v, ok := s.number(offer.LimitContext); ok && (r.isNew || r.object.Get("max_input_tokens") == nil) {
		tell(offer.LimitContext, "max_input_tokens", v.Text, v)
		leaveOut(r.report, &s.model.Identity, s.Runtime, offer.LimitContext, record.ExportWidened, "max_input_tokens")
	}
	if v, ok := s.number(offer.LimitOutput); ok {
		// An output limit equal to the one of the input is not read as one, but is one.
		if old := r.object.Get("max_output_tokens"); old != nil && isNumber(v.Text, 0)(old) {
			r.says[offer.LimitOutput] = v
		}
		if r.says[offer.LimitOutput] != v {
			r.set("max_tokens", v.Text, isNumber(v.Text, 0)) // the older name
		}
		tell(offer.LimitOutput, "max_output_tokens", v.Text, v)
	}
}

func (m *litellmMap) compose(r *row, s *sold) (record.ExportReason, string) {
	if is, _ := s.is(offer.OutputModality("text")); !is {
		return record.ExportNotRepresentable, "it does not write text"
	}
	seller := m.seller(s.Runtime)
	r.name = cmp.Or(s.call[record.OfferLiteLLM], seller.prefix+"/"+s.LocalID)
	if seller.leadsElsewhere {
		return record.ExportNotRepresentable, "no provider leads to this runtime"
	}
	if m.root.Get(r.name) != nil {
		return record.ExportNotRepresentable, "the base has another row " + r.name
	}
	r.members = append(r.members, member{"litellm_provider", canonical.Quote(m.provider(r.name, s.Runtime, seller))})
	if mode := s.call[record.OfferMode]; mode != "" {
		r.members = append(r.members, member{"mode", canonical.Quote(mode)})
	}
	if uri := s.uri("price.input"); uri != "" {
		r.members = append(r.members, member{"source", canonical.Quote(uri)})
	}
	slices.SortFunc(r.members, func(a, b member) int { return canonical.CompareText(a.name, b.name) })
	r.text = m.layout.object(r.members)
	return "", ""
}

// provider returns the provider that reads a row's key: the seller, unless the key has the prefix
// of another provider of the runtime.
func (m *litellmMap) provider(key, runtime string, seller seller) string {
	prefix, _, _ := strings.Cut(key, "/")
	if prefix == seller.prefix {
		return seller.name
	}
	for _, p := range m.runtimes.Providers(runtime) {
		if p.Prefix == prefix && !strings.HasSuffix(p.Name, "*") {
			return p.Name
		}
	}
	if p := m.runtimes.Provider(prefix); p.Runtime == runtime && p.Prefix == prefix {
		return prefix // a provider that the table does not name
	}
	return seller.name
}

func (m *litellmMap) insert(r *row, s *sold) bool {
	of := offer.Offer{Runtime: s.Runtime, LocalID: strings.TrimPrefix(r.name, m.seller(s.Runtime).prefix+"/")}
	if m.taken[of] {
		return false
	}
	m.taken[of] = true
	m.fresh = append(m.fresh, member{r.name, r.text})
	return true
}

// seller is the provider that new rows of a runtime name, and the prefix of their keys.
type seller struct {
	name, prefix   string
	leadsElsewhere bool // it is the provider of another runtime
}

// seller returns the provider that most rows of a runtime name, else that of the table of
// runtimes.
func (m *litellmMap) seller(runtime string) seller {
	m.guard.Lock()
	defer m.guard.Unlock()
	if s, known := m.sellers[runtime]; known {
		return s
	}
	var s seller
	counts := m.named[runtime]
	for name, n := range counts {
		if s.name == "" || cmp.Or(counts[s.name]-n, strings.Compare(name, s.name)) < 0 {
			s.name = name
		}
	}
	if s.name == "" {
		s.name = runtime
		if named := m.runtimes.Providers(runtime); len(named) > 0 {
			s.name = named[0].Name
		}
	}
	p := m.runtimes.Provider(s.name)
	s.prefix, s.leadsElsewhere = p.Prefix, p.Runtime != runtime
	m.sellers[runtime] = s
	return s
}

func (m *litellmMap) finish() {
	for _, row := range sortedRows(m.fresh) {
		m.add(m.root, row.name, row.json)
	}
}
