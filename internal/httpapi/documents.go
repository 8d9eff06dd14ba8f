package httpapi

import (
	"bytes"
	"net/http"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// documents are the answers to all reads.
type documents struct {
	list     httpserver.Answer
	snapshot httpserver.Answer
	models   map[string]*httpserver.Answer // by key
}

// find returns what is read at a route, nil if there is no model with the key.
func (d *documents) find(r route, key string) *httpserver.Answer {
	switch r {
	case routeModels:
		return &d.list
	case routeSnapshot:
		return &d.snapshot
	}
	return d.models[key]
}

// largeDocument is from how many bytes on the document of a model is not put together in
// memory, but is a head, a piece of the snapshot and a tail. Writing three pieces instead
// of one takes a little time, which does not matter for large documents.
const largeDocument = 1 << 20

// newDocuments makes all documents.
func newDocuments(c *catalog.Catalog) (documents, error) {
	snapshot := bytes.NewBuffer(make([]byte, 0, c.Size()))
	if _, err := c.WriteTo(snapshot); err != nil {
		return documents{}, err
	}
	d := documents{
		snapshot: newAnswer(http.StatusOK, snapshot.Bytes()),
		models:   make(map[string]*httpserver.Answer, len(c.Models())),
	}
	about := string(canonical.MustMarshal(newCatalogReference(c)))
	conflicts := conflictsByModel(c)
	tail := []byte(`,"schemaVersion":"` + record.APIModelSchema + `"}`)
	spans := c.ModelSpans()
	for i := range c.Models() {
		key := c.Models()[i].Key
		model := snapshot.Bytes()[spans[i].Start:spans[i].End:spans[i].End]
		e := canonical.Encoder{}
		e.Raw(`{"catalog":` + about + `,"conflicts":[`)
		for n, conflict := range conflicts[key] {
			if n > 0 {
				e.Raw(`,`)
			}
			e.Raw(conflict.JSON)
		}
		e.Raw(`],"model":`)
		a := newAnswer(http.StatusOK, bytes.Clone(e.Buf), model, tail)
		if size := len(e.Buf) + len(model) + len(tail); size < largeDocument {
			a.Body = [][]byte{bytes.Join(a.Body, nil)}
		}
		d.models[key] = &a
	}
	d.list = newAnswer(http.StatusOK, listModels(c, conflicts))
	return d, nil
}

// conflictsByModel returns the conflicts of each model, in their order.
func conflictsByModel(c *catalog.Catalog) map[string][]catalog.Conflict {
	byModel := make(map[string][]catalog.Conflict)
	for _, conflict := range c.Conflicts() {
		byModel[conflict.ModelKey] = append(byModel[conflict.ModelKey], conflict)
	}
	return byModel
}

func listModels(c *catalog.Catalog, conflicts map[string][]catalog.Conflict) []byte {
	list := record.APIModels{SchemaVersion: record.APIModelsSchema, Catalog: newCatalogReference(c)}
	for i := range c.Models() {
		m := &c.Models()[i]
		list.Models = append(list.Models, record.APIEntry{Key: m.Key, Identity: m.Identity,
			ObservationCount: len(m.Observations), ConflictCount: len(conflicts[m.Key])})
	}
	return ijson.MustWriteTagged(list)
}
