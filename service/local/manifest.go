package local

import (
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service"
)

// ReadApprovedSourceManifest reads a manifest of approved sources, each of which
// the default registry must approve. An error of reading is an *fs.PathError.
func ReadApprovedSourceManifest(file string) (*service.SourceManifest, error) {
	text, err := files.Read(file, sources.MaxManifestBytes)
	if err != nil {
		return nil, err
	}
	return sources.ParseManifest(problem.Source{Name: file, Text: text}, sources.DefaultRegistry())
}

// LoadPackagedApprovedSourceManifest returns the manifest that comes with the
// library.
func LoadPackagedApprovedSourceManifest() (*service.SourceManifest, error) {
	return sources.PackagedManifest()
}
