// Package sample holds the catalog that comes with svc, so that a first question needs no
// file, and the record of its build. It has the models of examples/models with all that their
// sources say of them; that folder says which sources these are, under which licences, and how to
// make it again.
package sample

import (
	"context"
	_ "embed" // for the catalog
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

//go:embed sample.jsonl.zst
var compressed []byte

// read returns what the package holds: the instant of the catalog and its observations, a line
// each, and after an empty line the record of its build. Observations are held without their ids,
// hashes that take a third of the room and that compiling finds again.
func read() (lines []string, build string, err error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	text, err := r.DecodeAll(compressed, nil)
	head, build, _ := strings.Cut(string(text), "\n\n")
	return strings.Split(head, "\n"), build, err
}

// Catalog returns the text of the catalog.
func Catalog() (string, error) {
	lines, _, err := read()
	if err != nil {
		return "", err
	}
	c, _, err := catalog.Compile(context.Background(), lines[1:], catalog.Options{AsOf: lines[0]})
	if err != nil {
		return "", err
	}
	return c.Serialize(), nil
}

// Build returns the text of the record of the build.
func Build() (string, error) {
	_, build, err := read()
	return build, err
}

// Compress returns the texts of a catalog and of the record of its build in the form in which this
// package holds them, for the test that makes it.
func Compress(text, build string) ([]byte, error) {
	c, err := catalog.Parse(context.Background(), problem.Source{Text: text})
	if err != nil {
		return nil, err
	}
	held := []string{c.AsOf()}
	for i := range c.Models() {
		for _, o := range c.Models()[i].Observations {
			held = append(held, strings.Replace(o.JSON(), `"id":"`+o.ID()+`",`, "", 1))
		}
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll([]byte(strings.Join(held, "\n")+"\n\n"+build), nil), w.Close()
}
