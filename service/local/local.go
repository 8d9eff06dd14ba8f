// Package local is the part of the public library that touches files, sockets and
// databases. Everything else is in package service, which does not.
//
//	load observations          ReadObservationFiles
//	compile files of them      CompileFiles
//	read a catalog             ReadCatalogFile
//	read a rank request        ReadRankRequestFile
//	serve a catalog            StartCatalogServer
//	approved sources           ReadApprovedSourceManifest, sources.PackagedManifest
//	keep claims in a database  OpenLoader, OpenStore
//	ask for claims you hold    AskEndpoint, VerifyAtEndpoint
//
// What is wrong with the content of a file is a [service.ErrorList], in which each fault
// has file, line and column. What is wrong with the file itself is an *fs.PathError.
package local

import (
	"context"
	"io"
	"os"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/rank"
)

// ReadCatalogFile reads a serialized snapshot and verifies it, as
// [catalog.Parse] does. A file has at most 16 GiB.
func ReadCatalogFile(ctx context.Context, file string) (*catalog.Catalog, error) {
	text, err := files.Read(file, files.MaxWhole)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(ctx, text)
	return c, inFile(err, file)
}

// ReadRankRequestFile reads a rank request of any version and validates it, as
// [rank.ParseRequest] does. A file has at most [rank.MaxRequestBytes].
func ReadRankRequestFile(file string) (*rank.Request, error) {
	text, err := files.Read(file, rank.MaxRequestBytes)
	if err != nil {
		return nil, err
	}
	request, err := rank.ParseRequest(text)
	return request, inFile(err, file)
}

// ReadObservationFiles returns the observations of files and directories, whatever their
// dates: each once, by model key and id. A file holds one observation, a list of them or
// one a line. Of a directory, and of those below it, the files are read that are called
// *.json, *.jsonl or *.ndjson; there must be one. Errors are those of
// [catalog.ReadObservations].
func ReadObservationFiles(ctx context.Context, paths ...string) ([]catalog.Observation, error) {
	sources, err := findSources(paths)
	if err != nil {
		return nil, err
	}
	return catalog.ReadObservations(ctx, sources)
}

// CompileFiles compiles the observations of files and directories, which it looks for and
// reads as [ReadObservationFiles] does. Errors are those of [catalog.CompileSources].
func CompileFiles(ctx context.Context, options catalog.CompileOptions, paths ...string) (*catalog.Catalog, error) {
	sources, err := findSources(paths)
	if err != nil {
		return nil, err
	}
	return catalog.CompileSources(ctx, sources, options)
}

// findSources returns the files that paths name, those of directories sorted by path.
func findSources(paths []string) (sources []catalog.Source, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			sources = append(sources, fileSource(path))
			continue
		}
		found, _, err := files.Find(path)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			sources = append(sources, fileSource(f.Name))
		}
	}
	return sources, nil
}

func fileSource(path string) catalog.Source {
	return catalog.Source{Name: path, Open: func() (io.ReadCloser, error) {
		f, _, err := files.Open(path)
		if err != nil {
			return nil, err
		}
		return f, nil
	}}
}

// inFile names the file in the faults of its text.
func inFile(err error, file string) error {
	for _, fault := range service.Faults(err) {
		fault.Place.File = file
	}
	return err
}
