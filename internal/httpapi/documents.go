package httpapi

import (
	"bytes"
	"net/http"
	"unsafe"

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

// newDocuments makes all documents. That of a model is a head, a piece of the snapshot and a
// tail, and the snapshot is the text that the catalog was read from: so a catalog of 51 MB is
// served with one copy of it, not three.
func newDocuments(c *catalog.Catalog) documents {
	text := c.Serialize()
	snapshot := unsafe.Slice(unsafe.StringData(text), len(text)) // nobody writes to it
	d := documents{
		snapshot: newAnswer(http.StatusOK, snapshot),
		models:   make(map[string]*httpserver.Answer, len(c.Models())),
	}
	about := string(canonical.MustMarshal(newCatalogReference(c)))
	conflicts := conflictsByModel(c)
	tail := []byte(`,"schemaVersion":"` + record.APIModelSchema + `"}`)
	spans := c.ModelSpans()
	for i := range c.Models() {
		key := c.Models()[i].Key
		model := snapshot[spans[i].Start:spans[i].End:spans[i].End]
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
		d.models[key] = &a
	}
	d.list = newAnswer(http.StatusOK, listModels(c, conflicts))
	return d
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
