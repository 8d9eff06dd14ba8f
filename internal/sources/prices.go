package sources

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// PriceList is what an adapter knows of a price source: a source whose rows are
// offers. [NewPriceAdapter] makes an adapter of it.
type PriceList struct {
	Source string
	// Kind is that of the evidence.
	Kind string
	// Read reads a body that was published or fetched at a time.
	Read func(body, at string) (*offer.Listing, error)
	// Level, Basis and Gaps are the uncertainty of whatever the list states.
	Level string
	Basis string
	Gaps  []string
	// Other gives the record of a declaration beyond the shared vocabulary, without
	// what the list says of all; nil if the list has none.
	Other func(*offer.Declaration) *record.Observation
	// PublishedAt returns when a body says that it was published; nil if none does.
	PublishedAt func(body string) (at string, ok bool)
	// Commit returns the commit that a body says that it is of, "" if it does not say; nil if
	// none does.
	Commit func(body string) string
	// Version is that of the adapter, for acquisition records.
	Version string
}

// NewPriceAdapter makes an adapter of a price list. It takes any number of
// snapshots, ordered by their times: what they say one after another becomes runs
// (see package offer), and a run becomes one observation.
func NewPriceAdapter(list PriceList) Adapter { return &priceAdapter{list} }

type priceAdapter struct{ list PriceList }

// priceEntry is what a mapping says of a row of a price source.
type priceEntry struct{ Claim }

var priceEntryFormat = EntryFormat[priceEntry]{
	Shape: ijson.NewShape(
		ijson.Required(memberModel, func(r *ijson.Reader, e *priceEntry) { e.Model = catalog.ReadModel(r) }),
		ijson.Required("validUntil", func(r *ijson.Reader, e *priceEntry) { e.ValidUntil = r.TimestampOrNull() }),
	),
	Absent:   []string{"validUntil"},
	Blank:    `{"model":null,"validUntil":null}`,
	Identity: true,
}

func (a *priceAdapter) Source() string      { return a.list.Source }
func (a *priceAdapter) Blank() string       { return priceEntryFormat.Blank }
func (a *priceAdapter) IsPriceSource() bool { return true }
func (a *priceAdapter) ReadsHead() bool     { return true }

func (a *priceAdapter) Reducer() func(io.ReaderAt, int64) (string, error) { return nil }

func (a *priceAdapter) PublishedAt(body string) string {
	if a.list.PublishedAt == nil {
		return ""
	}
	at, _ := a.list.PublishedAt(body)
	return at
}

func (a *priceAdapter) CheckMapping(src problem.Source) error {
	_, err := readMapping(src, a.list.Source, &priceEntryFormat)
	return err
}

func (a *priceAdapter) Labels(m *Manifest, files []File) (labels []Label, err error) {
	seen := map[string]bool{}
	err = a.readAll(files, m, func(_ *Snapshot, _ string, l *offer.Listing) error {
		for i := range l.Rows {
			if row := &l.Rows[i]; !seen[row.ID] {
				seen[row.ID] = true
				labels = append(labels, Label{Row: row.ID, Label: row.Offer.LocalID, Runtime: row.Offer.Runtime, Base: row.Base,
					Skip: row.Skip})
			}
		}
		return nil
	})
	return labels, err
}

func (a *priceAdapter) Import(req Request) (*Result, error) {
	if req.Mapping.Text == "" {
		req.Mapping = EmptyMapping(a.list.Source)
	}
	m, err := readMapping(req.Mapping, a.list.Source, &priceEntryFormat)
	if err != nil {
		problem.All(err).Under(mappingPath)
		return nil, err
	}
	names, err := newNaming(m.identity, req.Decisions)
	if err != nil {
		return nil, err
	}
	approved := req.Manifest.Source(a.list.Source)
	p := priceImport{
		naming:   names,
		list:     &a.list,
		req:      req,
		mapping:  m,
		approved: approved,
		origins:  map[string]origin{},
		succession: offer.Succession{
			Complete: m.identity != offer.RuleV1 && approved != nil && approved.Complete,
		},
		skipped: map[Reason]int{},
		shared:  map[sharedNote]int{},
	}
	if err := a.readAll(req.Snapshots, req.Manifest, p.take); err != nil {
		return nil, err
	}
	return p.result()
}

// readAll reads the listings of snapshots in order of their times, one body after
// another.
func (a *priceAdapter) readAll(files []File, m *Manifest, take func(s *Snapshot, seenAt string,
	l *offer.Listing) error) error {
	order, err := orderByTime(files, a.list.Source, m)
	if err != nil {
		return err
	}
	for _, next := range order {
		f, err := next.file.loaded()
		if err != nil {
			return err
		}
		s, err := Open(f, a.list.Source, m)
		if err != nil {
			problem.All(err).Under(next.path)
			return err
		}
		s.path = next.path
		if s.resource.Artifact == "" && s.resource.URL != m.Source(a.list.Source).Resolver.Entrypoint.URL {
			return s.EnvelopeFault("url", "must be that of the list")
		}
		l, err := a.list.Read(s.Body(), s.envelope.Time())
		if err != nil {
			return s.refuseRead(err)
		}
		if err := take(s, next.seenAt, l); err != nil {
			return err
		}
	}
	return nil
}

// refuseRead makes faults of a body, read by itself, those of the snapshot.
func (s *Snapshot) refuseRead(err error) error {
	faults := problem.All(err).Under(s.path + ".body")
	for _, e := range faults {
		if e.Place == (problem.Place{}) {
			e.Place = problem.Start("")
		}
		if e.Place.File == "" {
			e.Place.File = s.body.Name
		}
	}
	if faults == nil {
		return err
	}
	return faults.Err()
}

// timedFile is a snapshot whose envelope was read.
type timedFile struct {
	file      File
	path      string
	at        string
	fetchedAt string
	sha256    string
	// seenAt is when the same bytes of the same time were seen again, "" if they were
	// not.
	seenAt string
}

// again returns the earlier of two looks at the same bytes, which says when they were
// seen last.
func (f timedFile) again(other timedFile) timedFile {
	if other.fetchedAt < f.fetchedAt {
		f, other = other, f
	}
	f.seenAt = max(f.seenAt, other.seenAt, other.fetchedAt)
	return f
}

// orderByTime orders snapshots by when what they say was so.
func orderByTime(files []File, source string, m *Manifest) ([]timedFile, error) {
	if len(files) == 0 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "must not be empty")
	}
	if len(files) > MaxSnapshots {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "must be at most %d", MaxSnapshots)
	}
	var order []timedFile
	total := uint64(0)
	for i, f := range files {
		path := "$.snapshots[" + strconv.Itoa(i) + "]"
		e, _, err := readEnvelope(f.Envelope, source, m, nil)
		if err != nil {
			problem.All(err).Under(path)
			return nil, err
		}
		if total += e.BodyBytes; total > MaxImportBytes {
			return nil, problem.New(problem.InvalidSourceSnapshot, path+".body",
				"makes the bodies more than the %d bytes of an import", MaxImportBytes)
		}
		next := timedFile{f, path, e.Time(), e.FetchedAt, e.BodySHA256, ""}
		if isHead := e.URL == m.Source(source).Resolver.Entrypoint.URL; isHead && e.PublishedAt != "" {
			next.seenAt = e.FetchedAt // what the head was then was valid then, whenever it was published
		}
		same := slices.IndexFunc(order, func(o timedFile) bool { return o.at == next.at })
		switch {
		case same < 0:
			order = append(order, next)
		case order[same].sha256 == next.sha256 && order[same].fetchedAt != next.fetchedAt:
			order[same] = order[same].again(next)
		default:
			return nil, problem.New(problem.InvalidSourceSnapshot, path,
				"has the same time as %s, %s: each snapshot needs a time of its own", order[same].path, next.at)
		}
	}
	slices.SortFunc(order, func(a, b timedFile) int { return canonical.CompareText(a.at, b.at) })
	return order, nil
}

// priceImport is an import of a price source.
type priceImport struct {
	*naming
	list     *PriceList
	req      Request
	mapping  *mapping[priceEntry]
	approved *Source

	succession  offer.Succession
	acquired    []AcquiredSnapshot
	origins     map[string]origin // by the times of snapshots
	seenAt      string            // when the newest snapshot was seen again
	rows        int
	skipped     map[Reason]int
	diagnostics []Diagnostic
	shared      map[sharedNote]int // diagnostics by what they say
	missing     Notes
	refused     refusals
}

// sharedNote is what several snapshots can say alike.
type sharedNote struct {
	reason             Reason
	row, rest, message string
}

// take takes the listing of the next snapshot, which was seen again at a time if that
// is not "".
func (p *priceImport) take(s *Snapshot, seenAt string, l *offer.Listing) error {
	e := &s.envelope
	p.seenAt = seenAt
	p.origins[e.Time()] = p.originOf(s)
	p.acquired = append(p.acquired, AcquiredSnapshot{e.Reference, e.SourceID, e.URL, e.BodySHA256, e.FetchedAt,
		e.BodyBytes})
	p.rows += len(l.Rows)
	named := p.name(s, l)
	for i := range l.Rows {
		row := &l.Rows[i]
		if row.Skip == offer.RowEmpty {
			p.noteAll(s, row)
		}
		if row.Skip != "" {
			p.skipped[row.Skip]++
			p.note(s, row.Skip, row.ID, row.Path, "", row.Why, row.Place).IsRow = true
			continue
		}
		p.noteAll(s, row)
	}
	if n, ok := l.NewMembersNote(); ok {
		p.note(s, n.Reason, "", "", "", n.Message, problem.Start(""))
	}
	return p.succession.Add(e.Time(), l, func(i int) offer.Subject { return named[i].subject })
}

// originOf returns where the bytes of a snapshot are. By offer/v1 that is where the list is today.
func (p *priceImport) originOf(s *Snapshot) origin {
	if p.resolver == nil {
		return origin{address: p.approved.Resolver.Entrypoint.URL}
	}
	commit := ""
	if p.list.Commit != nil {
		commit = p.list.Commit(s.Body())
	}
	return s.origin(commit)
}

// identify skips a row of which nobody says which model it is.
func (p *priceImport) identify(row *offer.Row) {
	entry := p.mapping.entries[row.ID]
	if entry != nil {
		entry.used = true
	}
	switch {
	case row.Skip != "":
	case entry != nil && entry.none != "":
		row.Skip, row.Why = MappedToNone, "a person decided that it is not one model: "+entry.none
	case entry == nil && p.mapping.identity == "":
		row.Skip, row.Why = UnmappedRow, "the mapping has no entry for "+canonical.Quote(row.ID)
	}
}

func (p *priceImport) noteAll(s *Snapshot, row *offer.Row) {
	for _, n := range row.Notes {
		p.note(s, n.Reason, row.ID, n.Path, n.Path[min(len(row.Path), len(n.Path)):], n.Message, n.Place)
	}
}

// note reports something of a snapshot. What several say alike is reported once.
func (p *priceImport) note(s *Snapshot, reason Reason, row, path, rest, message string,
	place problem.Place) *Diagnostic {
	shared := sharedNote{reason, row, rest, message}
	if i, ok := p.shared[shared]; ok {
		p.diagnostics[i].Snapshots++
		return &p.diagnostics[i]
	}
	p.shared[shared] = len(p.diagnostics)
	if place.File == "" {
		place.File = s.body.Name
	}
	p.diagnostics = append(p.diagnostics, Diagnostic{
		Reason: reason, Path: s.path + ".body" + path, Row: row, Message: message, Place: place, Snapshots: 1,
	})
	return &p.diagnostics[len(p.diagnostics)-1]
}

func (p *priceImport) result() (*Result, error) {
	noteMissing(&p.missing, p.mapping)
	p.diagnostics = append(p.diagnostics, p.missing.locate(p.req.Mapping)...)
	runs := p.succession.Runs()
	if len(runs) > MaxObservations {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "make more than %d observations",
			MaxObservations)
	}
	succession := Succession{len(p.acquired), p.succession.Closed, p.succession.Came, p.succession.Went}
	p.succession = offer.Succession{} // so that runs can go one after another
	for _, run := range runs {
		p.refuse(run)
	}
	if err := p.refused.err(p.req.Mapping); err != nil {
		return nil, err
	}
	r := &Result{Succession: succession}
	if err := p.observe(runs, r); err != nil {
		return nil, err
	}
	if p.req.Strict {
		if err := strict(p.diagnostics); err != nil {
			return nil, err
		}
	}
	a := &Acquisition{
		Source:         p.list.Source,
		Adapter:        record.Component{ID: p.list.Source, Version: record.Text(p.list.Version)},
		ManifestDigest: record.Text(p.req.Manifest.Digest()),
		MappingSHA256:  p.mapping.digest,
		Snapshots:      p.acquired,
		Rows:           p.rows,
		SkippedFor:     p.skipped,
		Identified:     p.counts,
		Observations:   len(runs),
	}
	for n := range maps.Values(p.skipped) {
		a.Skipped += n
	}
	a.Imported = a.Rows - a.Skipped
	r.Diagnostics, r.Acquisition = p.diagnostics, a
	return r, nil
}

// entryEnd returns until when the mapping says that a row holds, "" if it does not say,
// and where its entry is in the mapping.
func (p *priceImport) entryEnd(row string) (end string, start int) {
	if entry := p.mapping.entries[row]; entry != nil {
		return entry.said.ValidUntil, entry.start
	}
	return "", 0
}

// end returns until when the mapping lets a run hold, "" if it does not say, and the
// entry that says so: of those of its first and last rows that which ends earlier.
func (p *priceImport) end(run *offer.Run) (end, row string, start int) {
	end, start = p.entryEnd(run.First.Row)
	if last, at := p.entryEnd(run.Last.Row); last != "" && (end == "" || last < end) {
		return last, run.Last.Row, at
	}
	return end, run.First.Row, start
}

// refuse refuses a run if the mapping's entry ended before it began.
func (p *priceImport) refuse(run *offer.Run) {
	if end, row, start := p.end(run); end != "" && end <= run.First.At {
		path, offset := p.mapping.memberAt(p.req.Mapping.Text, row, start, memberValidUntil)
		p.refused.addExpired(path, offset, run.First.At, row)
	}
}
