package sources

import "github.com/model-catalog-service/svc/internal/canonical"

// appendJSON appends the normalized manifest as canonical JSON.
func (m *Manifest) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"schemaVersion":"`+ManifestSchema+`","sources":[`...)
	for i := range m.sources {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.sources[i].appendJSON(dst)
	}
	return append(dst, `]}`...)
}

// JSON is the normalized declaration as canonical JSON.
func (s *Source) JSON() string { return string(s.appendJSON(nil)) }

func (s *Source) appendJSON(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"artifacts":`)
	s.Artifacts.encode(&e)
	e.Raw(`,"attribution":{"name":`)
	e.Text(s.Attribution.Name)
	e.Raw(`,"url":`)
	e.Text(s.Attribution.URL)
	e.Raw(`},"canonicalOrigin":`)
	e.Text(s.CanonicalOrigin)
	e.Raw(`,"freshness":{"maxAgeHours":`)
	e.Uint(s.Freshness.MaxAgeHours)
	e.Raw(`,"refreshIntervalHours":`)
	e.Uint(s.Freshness.RefreshHours)
	e.Raw(`},"id":`)
	e.Text(s.ID)
	e.Raw(`,"knownLimitations":`)
	e.Texts(s.KnownLimitations)
	e.Raw(`,"license":{"evidenceUrl":`)
	e.TextOrNull(s.License.EvidenceURL)
	e.Raw(`,"identifier":`)
	e.Text(s.License.Identifier)
	e.Raw(`},"owner":`)
	e.Text(s.Owner)
	e.Raw(`,"proposalPolicy":{"mappingChanges":"review","newRevision":"review","unknownRows":"review"},"resolver":`)
	s.Resolver.encode(&e)
	e.Raw(`,"revision":{"grammar":`)
	e.Text(s.Revision.Grammar)
	e.Raw(`,"kind":`)
	e.Text(s.Revision.Kind)
	e.Raw(`},"sourceClass":"external","trustRationale":`)
	e.Text(s.TrustRationale)
	e.Raw(`}`)
	return e.Buf
}

func (a *Artifacts) encode(e *canonical.Encoder) {
	e.Raw(`{"adapter":`)
	e.Text(a.Adapter)
	e.Raw(`,"items":[`)
	for i := range a.Items {
		if i > 0 {
			e.Raw(`,`)
		}
		item := &a.Items[i]
		e.Raw(`{"id":`)
		e.Text(item.ID)
		e.Raw(`,"maxBytes":`)
		e.Uint(item.MaxBytes)
		e.Raw(`,"mediaType":`)
		e.Text(item.MediaType)
		e.Raw(`,"required":`)
		e.Bool(item.Required)
		e.Raw(`,"urlTemplate":`)
		e.Text(item.URLTemplate)
		e.Raw(`}`)
	}
	e.Raw(`],"version":`)
	e.Text(a.Version)
	e.Raw(`}`)
}

func (v *Resolver) encode(e *canonical.Encoder) {
	e.Raw(`{"adapter":`)
	e.Text(v.Adapter)
	e.Raw(`,"derivedResourcePolicy":`)
	e.Text(v.DerivedResourcePolicy)
	e.Raw(`,"entrypoint":{"maxBytes":`)
	e.Uint(v.Entrypoint.MaxBytes)
	e.Raw(`,"mediaType":`)
	e.Text(v.Entrypoint.MediaType)
	e.Raw(`,"sourceId":`)
	e.Text(v.Entrypoint.SourceID)
	e.Raw(`,"url":`)
	e.Text(v.Entrypoint.URL)
	e.Raw(`},"maxBytes":`)
	e.Uint(v.MaxBytes)
	e.Raw(`,"version":`)
	e.Text(v.Version)
	e.Raw(`}`)
}
