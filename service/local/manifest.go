package local

import (
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/service/sources"
)

// ReadApprovedSourceManifest reads a manifest of approved sources, each of which
// the default registry must approve.
func ReadApprovedSourceManifest(file string) (*sources.Manifest, error) {
	text, err := files.Read(file, sources.MaxManifestBytes)
	if err != nil {
		return nil, err
	}
	m, err := sources.ParseManifest(text, sources.DefaultRegistry())
	return m, inFile(err, file)
}
