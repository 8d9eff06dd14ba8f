// Package local is the part of the public library that touches files, sockets and
// databases. Everything else is in package service, which does not.
//
//	load observations          ReadObservationFiles
//	compile files of them      CompileFiles
//	read a catalog             ReadCatalogFile
//	read a rank request        ReadRankRequestFile
//	serve a catalog            StartCatalogServer
//	approved sources           ReadApprovedSourceManifest, LoadPackagedApprovedSourceManifest
//	keep claims in a database  OpenLoader, OpenStore
//	ask for claims you hold    AskEndpoint
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
)

// ReadCatalogFile reads a serialized snapshot and verifies it, as
// [service.ParseCatalog] does. A file has at most 16 GiB.
func ReadCatalogFile(ctx context.Context, file string) (*service.Catalog, error) {
	text, err := files.Read(file, files.MaxWhole)
	if err != nil {
		return nil, err
	}
	c, err := service.ParseCatalog(ctx, text)
	return c, inFile(err, file)
}

// ReadRankRequestFile reads a rank request of any version and validates it, as
// [service.ValidateRankRequest] does. A file has at most [service.MaxRankRequestBytes].
func ReadRankRequestFile(file string) (*service.RankRequest, error) {
	text, err := files.Read(file, service.MaxRankRequestBytes)
	if err != nil {
		return nil, err
	}
	request, err := service.ValidateRankRequest(text)
	return request, inFile(err, file)
}

// ReadObservationFiles returns the observations of files and directories, whatever their
// dates: each once, by model key and id. A file holds one observation, a list of them or
// one a line. Of a directory, and of those below it, the files are read that are called
// *.json, *.jsonl or *.ndjson; there must be one. Errors are those of
// [service.ReadObservations].
func ReadObservationFiles(ctx context.Context, paths ...string) ([]service.Observation, error) {
	sources, err := findSources(paths)
	if err != nil {
		return nil, err
	}
	return service.ReadObservations(ctx, sources)
}

// CompileFiles compiles the observations of files and directories, which it looks for and
// reads as [ReadObservationFiles] does. Errors are those of [service.CompileSources].
func CompileFiles(ctx context.Context, options service.CompileOptions, paths ...string) (*service.Catalog, error) {
	sources, err := findSources(paths)
	if err != nil {
		return nil, err
	}
	return service.CompileSources(ctx, sources, options)
}

// findSources returns the files that paths name, those of directories sorted by path.
func findSources(paths []string) (sources []service.ObservationSource, err error) {
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

func fileSource(path string) service.ObservationSource {
	return service.ObservationSource{Name: path, Open: func() (io.ReadCloser, error) {
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

// publish makes a [service.ErrorList] of the faults in an error.
func publish(err error) error {
	if faults := service.Faults(err); faults != nil {
		return faults
	}
	return err
}
