package cmd

import (
	"cmp"
	"errors"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/service/record"
)

// buildOption is the option --build of commands that ask a catalog.
func buildOption(p *string) option.Option {
	return option.Option{Name: "build", Value: option.Text(p), Offer: option.Endings("json"),
		Usage: "`FILE` with what svc build says of the catalog (default beside it: catalog.build.json)"}
}

// buildOf returns the record of the build of the catalog of a file: the one that is named, or else the one
// that stands beside the file. Where there is none of this catalog it is empty.
func buildOf(named, name, digest string) (*record.CatalogBuild, error) {
	const most = 64 << 20
	file := cmp.Or(named, strings.TrimSuffix(name, ".json")+".build.json")
	text, err := disk.Read(file, most)
	source := problem.Source{Name: file, Text: text}
	var b *record.CatalogBuild
	if err == nil {
		if b, err = recipe.ReadBuild(source); err == nil && b.Catalog != digest {
			err = errors.New("tells of another catalog")
		}
	}
	switch {
	case err == nil:
		return b, nil
	case named == "":
		return &record.CatalogBuild{}, nil
	}
	return nil, files.Named(file, files.OtherKind(source, files.CatalogBuild, err))
}
