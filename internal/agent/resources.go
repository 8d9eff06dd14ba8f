package agent

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/docs/schemas"
	"github.com/model-catalog-service/svc/internal/canonical"
)

// This file is the resources: the catalog, its models and the schemas of formats.

const (
	jsonType    = "application/json"
	maxSnapshot = 4 << 20 // bytes of a snapshot that is offered whole
	modelStart  = "svc://models/"
	schemaStart = "svc://schemas/"
)

func (a *Agent) addResources() {
	c := a.catalog
	a.server.AddResource(&mcp.Resource{URI: "svc://catalog", Name: "catalog", Title: "Catalog",
		Description: "Digest, date and counts of the catalog.", MIMEType: jsonType},
		a.read(func(string) (string, bool) {
			return string(canonical.MustMarshal(struct {
				Digest       string `json:"digest"`
				AsOf         string `json:"asOf"`
				Models       int    `json:"models"`
				Observations int    `json:"observations"`
				Conflicts    int    `json:"conflicts"`
			}{c.Digest(), c.AsOf(), len(c.Models()), c.Observations(), len(c.Conflicts())})), true
		}))
	if c.Size() <= maxSnapshot {
		a.server.AddResource(&mcp.Resource{URI: "svc://catalog/snapshot", Name: "snapshot", Title: "Snapshot",
			Description: "The whole catalog.", MIMEType: jsonType, Size: int64(c.Size())},
			a.read(func(string) (string, bool) { return c.Serialize(), true }))
	}
	a.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: modelStart + "{key}", Name: "model", Title: "Model",
		Description: "All observations of the model with a key.", MIMEType: jsonType},
		a.read(func(uri string) (string, bool) {
			entry := a.index.byKey[strings.TrimPrefix(uri, modelStart)]
			if entry == nil {
				return "", false
			}
			return string(entry.AppendJSON(nil)), true
		}))
	a.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: schemaStart + "{name}", Name: "schema",
		Title: "JSON Schema", Description: "The JSON Schema of a format, such as rank-request.", MIMEType: jsonType},
		a.read(func(uri string) (string, bool) {
			text, ok := schemas.Text(strings.TrimPrefix(uri, schemaStart))
			return string(text), ok
		}))
}

// read makes a handler of what finds the text of a resource.
func (a *Agent) read(find func(uri string) (text string, found bool)) mcp.ResourceHandler {
	return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, found := find(r.Params.URI)
		if !found {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: jsonType,
			Text: text}}}, nil
	}
}
