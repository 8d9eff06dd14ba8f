package cmd

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Families of schema versions: what stands before the number.
const (
	observationFamily = "service.observation"
	requestFamily     = "service.rank.request"
	numberFamily      = "a number" // of a kind whose schemaVersion is one
)

var familyFields = ijson.NewFields("schemaVersion?")

// maxLooked is in how many records of a file a schemaVersion is looked for. The
// first should have one.
const maxLooked = 100

// findFamily returns the schemaVersion, without its number, of the first record
// of a file that has one, and the offset where it stands, or -1. The record is
// the document, the first of those that stand one a line, or an item of a list.
// Observations alone come in lists, which may be empty.
func findFamily(source problem.Source) (family string, at int) {
	if at := writtenCatalog(source.Text); at >= 0 {
		family, _, _ := strings.Cut(catalog.SnapshotSchema, "/")
		return family, at
	}
	r := ijson.NewReader(source.Text, "")
	if r.Kind() != '[' {
		family, at = familyOf(r)
		if at < 0 && ijson.IsLinesName(source.Name) {
			return observationFamily, -1
		}
		return family, at
	}
	l := r.List()
	for l.Next() && l.Index() < maxLooked {
		if family, at = familyOf(r); at >= 0 {
			return family, at
		}
	}
	if l.Index() < 0 && r.End() == nil {
		return observationFamily, -1
	}
	return "", -1
}

// writtenCatalog returns where the schemaVersion of a catalog stands that is
// written as svc writes it, and -1 for everything else. It is behind all models
// there, so that looking for it member by member would be to read the file twice.
func writtenCatalog(text string) int {
	const version = `"` + catalog.SnapshotSchema + `"`
	if !strings.HasPrefix(text, `{"asOf":"`) || !strings.HasSuffix(text, `],"schemaVersion":`+version+`}`) {
		return -1
	}
	return len(text) - len(version+`}`)
}

// familyOf is findFamily for the next value of a document.
func familyOf(r *ijson.Reader) (family string, at int) {
	if r.Kind() != '{' {
		r.Skip()
		return "", -1
	}
	o := r.Object(familyFields)
	if !o.Next() {
		return "", -1
	}
	at = r.Offset()
	v := r.Value()
	switch v.Kind {
	case '"':
		family, _, _ = strings.Cut(v.Text, "/")
	case '0':
		family = numberFamily
	}
	return family, at
}
