package local

import (
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service"
)

// ReadApprovedSourceManifest reads a manifest of approved sources, each of which
// the default registry must approve.
func ReadApprovedSourceManifest(file string) (*service.SourceManifest, error) {
	text, err := files.Read(file, service.MaxSourceManifestBytes)
	if err != nil {
		return nil, err
	}
	m, err := service.ParseApprovedSourceManifest(text, service.DefaultSourceRegistry())
	return m, inFile(err, file)
}

// LoadPackagedApprovedSourceManifest returns the manifest that comes with the
// library.
func LoadPackagedApprovedSourceManifest() (*service.SourceManifest, error) {
	m, err := sources.PackagedManifest()
	if err != nil {
		return nil, err
	}
	return service.ParseApprovedSourceManifest(m.JSON(), service.DefaultSourceRegistry())
}
