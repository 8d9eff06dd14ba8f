package recipe

import (
	"bytes"
	"encoding/json"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// WriteLock returns the text of a lock, a field a line, so that a diff of it reads well.
func WriteLock(l *record.CatalogLock) string { return indented(l) }

// WriteBuild returns the text of a build record.
func WriteBuild(b *record.CatalogBuild) string { return indented(b) }

func indented(doc any) string {
	var b bytes.Buffer
	_ = json.Indent(&b, ijson.MustWriteTagged(doc), "", "  ") // what was written is JSON
	b.WriteByte('\n')
	return b.String()
}

// ReadLock reads a lock. Faults have no code; they are all of the file, each with its place.
func ReadLock(src problem.Source) (*record.CatalogLock, error) {
	l := &record.CatalogLock{}
	return l, read(src, l)
}

// ReadBuild reads a build record, as [ReadLock] does.
func ReadBuild(src problem.Source) (*record.CatalogBuild, error) {
	b := &record.CatalogBuild{}
	return b, read(src, b)
}

func read(src problem.Source, into any) error {
	r := ijson.NewReader(src.Text, "")
	ijson.ReadTagged(r, into)
	return r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}

// CheckLock validates a lock, and CheckBuild a build record.
func CheckLock(src problem.Source) error { return read(src, &record.CatalogLock{}) }

// CheckBuild validates a build record.
func CheckBuild(src problem.Source) error { return read(src, &record.CatalogBuild{}) }
