package sources

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
)

// The members of a manifest, in the order in which faults are reported.
var (
	manifestFields   = ijson.NewFields("schemaVersion", "sources")
	sourceFields     = ijson.NewFields("id", "owner", "sourceClass", "canonicalOrigin", "attribution", "license", "trustRationale", "knownLimitations", "freshness", "revision", "resolver", "artifacts", "proposalPolicy")
	creditFields     = ijson.NewFields("name", "url")
	licenseFields    = ijson.NewFields("identifier", "evidenceUrl")
	intervalFields   = ijson.NewFields("refreshIntervalHours", "maxAgeHours")
	revisionFields   = ijson.NewFields("kind", "grammar")
	resolverFields   = ijson.NewFields("adapter", "version", "entrypoint", "derivedResourcePolicy", "maxBytes")
	entrypointFields = ijson.NewFields("sourceId", "url", "mediaType", "maxBytes")
	artifactsFields  = ijson.NewFields("adapter", "version", "items")
	artifactFields   = ijson.NewFields("id", "required", "urlTemplate", "mediaType", "maxBytes")
	policyFields     = ijson.NewFields("newRevision", "unknownRows", "mappingChanges")
)

// manifestReader reads a manifest. Rules that need the origin or the kind of
// revision are checked when all of a source is read.
type manifestReader struct {
	r        *ijson.Reader
	registry Registry
	sources  []Source

	later []func(s *Source) // such rules of the source being read
}

func (mr *manifestReader) read() {
	r := mr.r
	for o := r.Object(manifestFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(ManifestSchema)
		case 1:
			mr.readSources()
		}
	}
}

func (mr *manifestReader) readSources() {
	r := mr.r
	l := r.List()
	for l.Next() {
		if l.Index() >= MaxSources {
			r.Skip()
			continue
		}
		mr.readSource()
	}
	if l.Index() >= MaxSources {
		r.Fail(l.Start(), "", "must hold at most %d sources", MaxSources)
	}
	seen := map[string]bool{}
	for _, s := range mr.sources {
		if seen[s.ID] && s.ID != "" {
			r.Fail(l.Start(), "", "must hold each source once: %q is repeated", s.ID)
			return
		}
		seen[s.ID] = true
	}
}

func (mr *manifestReader) readSource() {
	r := mr.r
	mr.later = nil
	var s Source
	o := r.Object(sourceFields)
	start, idAt := o.Start(), 0
	faults := r.Mark()
	for o.Next() {
		switch o.Field() {
		case 0:
			idAt = r.Offset()
			s.ID = mr.token()
		case 1:
			s.Owner = r.Text()
		case 2:
			r.Enum(catalog.External)
		case 3:
			at := r.Offset()
			if s.CanonicalOrigin = r.Text(); s.CanonicalOrigin != "" {
				mr.check(at, checkOrigin(s.CanonicalOrigin))
			}
		case 4:
			s.Attribution = mr.readAttribution()
		case 5:
			s.License = mr.readLicense()
		case 6:
			s.TrustRationale = r.Text()
		case 7:
			s.KnownLimitations = catalog.ReadTexts(r)
		case 8:
			s.Freshness = mr.readInterval()
		case 9:
			s.Revision = mr.readRevision()
		case 10:
			s.Resolver = mr.readResolver()
		case 11:
			s.Artifacts = mr.readArtifacts()
		case 12:
			mr.readPolicy()
		}
	}
	if r.Mark() == faults {
		for _, rule := range mr.later {
			rule(&s)
		}
	}
	if r.Mark() == faults {
		s.digest = canonical.Sum(s.appendJSON(nil))
		mr.checkApproved(&s, start, idAt)
	}
	mr.sources = append(mr.sources, s)
}

// checkApproved demands that the registry approves this declaration.
func (mr *manifestReader) checkApproved(s *Source, start, idAt int) {
	switch approved, known := mr.registry[s.ID]; {
	case !known:
		mr.r.Fail(idAt, ".id", "names no source that the registry approves")
	case approved != s.digest:
		mr.r.Fail(start, "", "is not the declaration that the registry approves as %s: its digest is %s, not %s", s.ID, s.digest, approved)
	}
}

// check reports a fault of the value at an offset, if there is one.
func (mr *manifestReader) check(at int, reason string) {
	if reason != "" {
		mr.r.Fail(at, "", "%s", reason)
	}
}

// afterwards checks a member of the source when the source is read.
func (mr *manifestReader) afterwards(at int, path string, rule func(s *Source) (reason string)) {
	mr.later = append(mr.later, func(s *Source) {
		if reason := rule(s); reason != "" {
			mr.r.Fail(at, path, "%s", reason)
		}
	})
}

// token reads a name: of a source, an artifact or an adapter.
func (mr *manifestReader) token() string {
	at := mr.r.Offset()
	s := mr.r.Text()
	if s != "" && (!isToken(s) || s != strings.ToLower(s)) {
		mr.r.Fail(at, "", "must be a name of lower-case letters, digits, dots, hyphens and underscores")
	}
	return s
}

// url reads a URL on any origin.
func (mr *manifestReader) url() string {
	at := mr.r.Offset()
	s := mr.r.Text()
	if s != "" {
		mr.check(at, checkURL(s, ""))
	}
	return s
}

// mediaType reads a media type without parameters.
func (mr *manifestReader) mediaType() string {
	at := mr.r.Offset()
	s := mr.r.Text()
	class, sub, ok := strings.Cut(s, "/")
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789.+-"
	if s != "" && (!ok || class == "" || sub == "" || strings.Trim(class+sub, allowed) != "") {
		mr.r.Fail(at, "", "must be a media type in lower case without parameters")
	}
	return s
}

// maxBytes reads a limit of bytes.
func (mr *manifestReader) maxBytes() uint64 { return mr.from1To(MaxBodyBytes) }

func (mr *manifestReader) from1To(most uint64) uint64 {
	at := mr.r.Offset()
	mark := mr.r.Mark()
	n := mr.r.Count()
	if mr.r.Mark() == mark && (n == 0 || n > most) {
		mr.r.Fail(at, "", "must be from 1 to %d", most)
	}
	return n
}

func (mr *manifestReader) readAttribution() (a Attribution) {
	for o := mr.r.Object(creditFields); o.Next(); {
		switch o.Field() {
		case 0:
			a.Name = mr.r.Text()
		case 1:
			a.URL = mr.url()
		}
	}
	return a
}

func (mr *manifestReader) readLicense() (l License) {
	for o := mr.r.Object(licenseFields); o.Next(); {
		switch o.Field() {
		case 0:
			l.Identifier = mr.r.Text()
		case 1:
			if !mr.r.Null() {
				l.EvidenceURL = mr.url()
			}
		}
	}
	return l
}

func (mr *manifestReader) readInterval() (i Interval) {
	const century = 100 * 366 * 24
	at, mark := 0, mr.r.Mark()
	for o := mr.r.Object(intervalFields); o.Next(); {
		switch o.Field() {
		case 0:
			i.RefreshHours = mr.from1To(century)
		case 1:
			at = mr.r.Offset()
			i.MaxAgeHours = mr.from1To(century)
		}
	}
	if mr.r.Mark() == mark && i.MaxAgeHours < i.RefreshHours {
		mr.r.Fail(at, ".maxAgeHours", "must be at least refreshIntervalHours, %d", i.RefreshHours)
	}
	return i
}

func (mr *manifestReader) readRevision() (v Revision) {
	at := 0
	for o := mr.r.Object(revisionFields); o.Next(); {
		switch o.Field() {
		case 0:
			v.Kind = mr.r.Enum(KindRelease, KindCommit, KindOpaque, KindSnapshot)
		case 1:
			at = mr.r.Offset()
			v.Grammar = mr.r.Enum(GrammarDate, GrammarSHA, GrammarToken, GrammarHash)
		}
	}
	if want := grammarOf(v.Kind); want != "" && v.Grammar != "" && v.Grammar != want {
		mr.r.Fail(at, ".grammar", "must be %s, which goes with %s", want, v.Kind)
	}
	return v
}

func (mr *manifestReader) readResolver() (v Resolver) {
	for o := mr.r.Object(resolverFields); o.Next(); {
		switch o.Field() {
		case 0:
			v.Adapter = mr.token()
		case 1:
			v.Version = mr.r.Text()
		case 2:
			v.Entrypoint = mr.readEntrypoint()
		case 3:
			v.DerivedResourcePolicy = mr.r.Enum(PolicyNone, PolicyMainBundle)
		case 4:
			v.MaxBytes = mr.maxBytes()
		}
	}
	return v
}

func (mr *manifestReader) readEntrypoint() (e Entrypoint) {
	for o := mr.r.Object(entrypointFields); o.Next(); {
		switch o.Field() {
		case 0:
			e.SourceID = mr.token()
		case 1:
			at := mr.r.Offset()
			e.URL = mr.r.Text()
			mr.afterwards(at, ".resolver.entrypoint.url", func(s *Source) string { return checkURL(e.URL, s.CanonicalOrigin) })
		case 2:
			e.MediaType = mr.mediaType()
		case 3:
			e.MaxBytes = mr.maxBytes()
		}
	}
	return e
}

func (mr *manifestReader) readArtifacts() (a Artifacts) {
	r := mr.r
	for o := r.Object(artifactsFields); o.Next(); {
		switch o.Field() {
		case 0:
			a.Adapter = mr.token()
		case 1:
			a.Version = r.Text()
		case 2:
			a.Items = mr.readItems()
		}
	}
	return a
}

func (mr *manifestReader) readItems() []Artifact {
	r := mr.r
	items := []Artifact{}
	l := r.List()
	for l.Next() {
		if l.Index() >= MaxSourceArtifacts {
			r.Skip()
			continue
		}
		items = append(items, mr.readArtifact(l.Index()))
	}
	if l.Index() >= MaxSourceArtifacts {
		r.Fail(l.Start(), "", "must hold at most %d artifacts", MaxSourceArtifacts)
	}
	mr.afterwards(l.Start(), ".artifacts.items", func(s *Source) string {
		if isEmpty, isSnapshot := len(items) == 0, s.Revision.Kind == KindSnapshot; isEmpty != isSnapshot {
			return "must be empty if the kind of revision is snapshot, and only then"
		}
		return ""
	})
	slices.SortStableFunc(items, func(a, b Artifact) int { return canonical.CompareText(a.ID, b.ID) })
	for i := 1; i < len(items); i++ {
		if items[i].ID == items[i-1].ID && items[i].ID != "" {
			r.Fail(l.Start(), "", "must hold each id once: %q is repeated", items[i].ID)
			break
		}
	}
	return items
}

func (mr *manifestReader) readArtifact(index int) (a Artifact) {
	r := mr.r
	for o := r.Object(artifactFields); o.Next(); {
		switch o.Field() {
		case 0:
			a.ID = mr.token()
		case 1:
			a.Required = r.Bool()
		case 2:
			at := r.Offset()
			a.URLTemplate = r.Text()
			mr.afterwards(at, ".artifacts.items["+strconv.Itoa(index)+"].urlTemplate", func(s *Source) string { return checkTemplate(a.URLTemplate, s.CanonicalOrigin) })
		case 3:
			a.MediaType = mr.mediaType()
		case 4:
			a.MaxBytes = mr.maxBytes()
		}
	}
	return a
}

// checkTemplate says what is wrong with a URL template, "" if nothing.
func checkTemplate(s, origin string) string {
	t, ok := cutTemplate(s)
	if !ok {
		return "must hold exactly one of " + slotRevision + " and " + slotUnderscore
	}
	if !strings.HasPrefix(t.before, origin+"/") {
		return "must be on the origin " + origin + ", which no revision may change"
	}
	return checkURL(t.expand("0"), origin)
}

func (mr *manifestReader) readPolicy() {
	for o := mr.r.Object(policyFields); o.Next(); {
		mr.r.Enum("review")
	}
}
