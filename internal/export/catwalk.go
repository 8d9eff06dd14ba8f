package export

import (
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the shape of catwalk's list of providers, which crush reads: a list of
// providers, each with a list of models, prices in USD per million tokens. Every number
// that is absent is read as 0.

type catwalk struct {
	*base
	report      *record.ExportReport
	readsAsZero []string
	providers   map[string]*offer.Value // lists of models, by runtime
	rows        map[offer.Offer]*row
	fresh       map[*offer.Value][]member
}

func newCatwalk(b *base, source problem.Source, report *record.ExportReport, readsAsZero []string) (*catwalk, error) {
	w := &catwalk{base: b, report: report, readsAsZero: readsAsZero,
		providers: map[string]*offer.Value{}, rows: map[offer.Offer]*row{}, fresh: map[*offer.Value][]member{}}
	runtimes := offer.ReadRuntimes(modelsDevSource) // whose names of providers these are, too
	if b.root.Kind != offer.List {
		return nil, b.refuse(source, b.root, "$", "must be a list of providers")
	}
	for i, p := range b.root.Items {
		id, models := p.Get("id"), p.Get("models")
		path := "$[" + strconv.Itoa(i) + "]"
		if id == nil || id.Kind != offer.String || models == nil || models.Kind != offer.List {
			return nil, b.refuse(source, p, path, "must have the text id and the list models")
		}
		runtime := runtimes.Provider(id.Text).Runtime
		if w.providers[runtime] == nil || id.Text == runtime {
			w.providers[runtime] = models
		}
		for j, model := range models.Items {
			local := model.Get("id")
			if local == nil || local.Kind != offer.String {
				return nil, b.refuse(source, model, path+".models["+strconv.Itoa(j)+"]", "must have the text id")
			}
			of := offer.Offer{Runtime: runtime, LocalID: local.Text}
			if w.rows[of] == nil || id.Text == runtime {
				w.rows[of] = &row{base: b, name: id.Text + "/" + local.Text, report: report, object: model}
			}
		}
	}
	return w, nil
}

func (w *catwalk) row(s *sold) *row { return w.rows[s.Offer] }

func (w *catwalk) needs(s *sold) (keys []string) {
	if w.providers[s.Runtime] == nil {
		return nil // insert says so
	}
	for _, key := range []string{"price.input", "price.output", "price.cache_read", "price.cache_write",
		offer.LimitContext, offer.LimitOutput, offer.Reasons, offer.InputModality("image")} {
		if !slices.Contains(w.readsAsZero, key) || s.states[key] != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

func (w *catwalk) write(r *row, s *sold) {
	if w.providers[s.Runtime] == nil {
		return
	}
	for _, price := range []struct{ key, name string }{
		{"price.input", "cost_per_1m_in"}, {"price.output", "cost_per_1m_out"},
		// The two are named the other way round than they mean.
		{"price.cache_write", "cost_per_1m_in_cached"}, {"price.cache_read", "cost_per_1m_out_cached"},
	} {
		if v, ok := s.number(price.key); ok {
			s.tell(price.key)
			r.set(price.name, quantity.PerMillion(v.Text), isNumber(v.Text, -6))
		}
	}
	if v, ok := s.number(offer.LimitContext); ok {
		s.tell(offer.LimitContext)
		r.set("context_window", v.Text, isNumber(v.Text, 0))
	}
	if v, ok := s.number(offer.LimitOutput); ok && (r.isNew || r.object.Get("default_max_tokens") != nil) {
		// What a row of the base asks for by default may be less than the limit, not more.
		s.tell(offer.LimitOutput)
		r.set("default_max_tokens", v.Text, func(old *offer.Value) bool {
			d, isDecimal := offer.ParseDecimal(old.Text)
			return old.Kind == offer.Number && isDecimal && d.Float() <= v.Float()
		})
	}
	for _, flag := range []struct{ key, name string }{{offer.Reasons, "can_reason"},
		{offer.InputModality("image"), "supports_attachments"}} {
		if is, known := s.is(flag.key); known {
			s.tell(flag.key)
			r.set(flag.name, flagJSON(is), isFlag(is))
		}
	}
}

func (w *catwalk) compose(r *row, s *sold) (record.ExportReason, string) {
	models := w.providers[s.Runtime]
	if models == nil {
		return record.ExportNoProvider, ""
	}
	name := canonical.Quote(s.LocalID)
	var last *offer.Value
	if n := len(models.Items); n > 0 {
		last = models.Items[n-1]
	}
	r.text = w.layoutOf(last).object(append([]member{{"id", name}, {"name", name}}, r.members...))
	return "", ""
}

func (w *catwalk) insert(r *row, s *sold) bool {
	models := w.providers[s.Runtime]
	w.fresh[models] = append(w.fresh[models], member{s.LocalID, r.text})
	return true
}

func (w *catwalk) finish() {
	for models, rows := range w.fresh {
		for _, row := range sortedRows(rows) {
			w.addItem(models, row.json)
		}
	}
}

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }
