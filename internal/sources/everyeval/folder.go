package everyeval

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// This file is a folder of records of one's own: they become one snapshot, a tar.

// Folder returns the records in a folder and the folders in it, with the instances beside them, as
// a tar. Its bytes depend on their names and contents alone. lastRetrieved is the latest time at
// which one of them was retrieved, "" if none says so.
func Folder(folder fs.FS) (body, lastRetrieved string, err error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	records := 0
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		isRecord := strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, sources.EnvelopeSuffix)
		if err != nil || !d.Type().IsRegular() || !isRecord && !strings.HasSuffix(name, instancesSuffix) {
			return err
		}
		info, err := d.Info()
		if err == nil && int64(out.Len())+info.Size() > sources.MaxBodyBytes {
			return fmt.Errorf("holds more than %d MiB of records", sources.MaxBodyBytes>>20)
		}
		if err != nil {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		if isRecord {
			records++
			r := ijson.NewReader(string(text), problem.InvalidSourceSnapshot)
			if at, isDated := instant(r.Value(), "retrieved_timestamp"); isDated {
				lastRetrieved = max(lastRetrieved, at)
			}
		}
		return sources.AddFile(archive, "folder/data/"+name, text)
	})
	if err == nil && records == 0 {
		err = errors.New("holds no record, which is a file *.json")
	}
	if err == nil {
		err = archive.Close()
	}
	return out.String(), lastRetrieved, err
}
