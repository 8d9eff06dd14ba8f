package inspectlog

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// This file takes of a log what an import uses, so that neither prompts nor answers are kept, and
// a log of gigabytes takes the memory of its largest part.

// maxPart is the most bytes of a part of a log that are read at once.
const maxPart = 64 << 20

// methodZstd is how newer logs are compressed.
const methodZstd = 93

// shape says which members of a value are kept: all of it if it is nil.
type shape map[string]shape

const each = "*" // any item or any member

var (
	sampleShape = shape{"id": nil, "epoch": nil, "scores": {each: {"value": nil}}, "error": nil, "limit": nil}
	logShape    = shape{
		"version": nil, "status": nil, "invalidated": nil,
		"eval": {
			"eval_id": nil, "created": nil, "task": nil, "task_version": nil, "model": nil, "model_generate_config": nil,
			"model_args": nil,
			"config":     nil, "solver": nil, "dataset": {"name": nil, "samples": nil}, "packages": nil,
			"revision": {"commit": nil, "dirty": nil},
		},
		"results": {
			"total_samples": nil, "completed_samples": nil,
			"scores": {each: {"name": nil, "scorer": nil, "reducer": nil, "scored_samples": nil,
				"metrics": {each: {"value": nil}}}},
		},
		"stats":   {"started_at": nil, "completed_at": nil, "model_usage": nil},
		"samples": {each: sampleShape},
	}
)

// Reduce returns what an import uses of a log, as canonical JSON: of a .json log, or of an .eval
// one, which is an archive of a header and of samples.
func Reduce(file io.ReaderAt, size int64) (string, error) {
	magic := make([]byte, 4)
	if _, err := file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	var log ijson.Value
	var err error
	if string(magic) == "PK\x03\x04" {
		log, err = reduceArchive(file, size)
	} else {
		log, err = reducePart(io.NewSectionReader(file, 0, size), logShape, "")
	}
	if err != nil {
		return "", err
	}
	tidy(&log)
	return string(log.AppendCanonical(nil)), nil
}

// reduceArchive reads the header of an archive, and its summaries of samples or the samples.
func reduceArchive(file io.ReaderAt, size int64) (log ijson.Value, err error) {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return log, problem.New(problem.InvalidSourceSnapshot, "$", "is not an archive: %v", err)
	}
	z.RegisterDecompressor(methodZstd, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(2*maxPart)))
	parts := map[string]*zip.File{}
	var samples []string
	for _, f := range z.File {
		parts[f.Name] = f
		if strings.HasPrefix(f.Name, "samples/") && strings.HasSuffix(f.Name, ".json") {
			samples = append(samples, f.Name)
		}
	}
	if parts["header.json"] == nil {
		return log, problem.New(problem.InvalidSourceSnapshot, "$",
			"has no header.json: the run did not end, or it is no log of Inspect")
	}
	if log, err = reduceFile(parts["header.json"], logShape); err != nil {
		return log, err
	}
	log.Members = slices.DeleteFunc(log.Members, func(m ijson.Member) bool { return m.Name == "samples" })
	list := ijson.Value{Kind: '[', Items: []ijson.Value{}}
	if summaries := parts["summaries.json"]; summaries != nil {
		list, err = reduceFile(summaries, shape{each: sampleShape})
	} else {
		slices.Sort(samples)
		for _, name := range samples {
			sample, failure := reduceFile(parts[name], sampleShape)
			if err = failure; err != nil {
				break
			}
			list.Items = append(list.Items, sample)
		}
	}
	log.Members = append(log.Members, ijson.Member{Name: "samples", Value: list})
	return log, err
}

func reduceFile(f *zip.File, keep shape) (v ijson.Value, err error) {
	r, err := f.Open()
	if err != nil {
		return v, problem.New(problem.InvalidSourceSnapshot, "$", "%s: %v", f.Name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return reducePart(r, keep, f.Name)
}

// reducePart reads a part of a log, whose name is "" for the whole log.
func reducePart(in io.Reader, keep shape, name string) (v ijson.Value, err error) {
	text, err := io.ReadAll(io.LimitReader(in, maxPart+1))
	path := "$"
	if name != "" {
		path = "$[" + canonical.Quote(name) + "]"
	}
	switch {
	case err != nil:
		return v, problem.New(problem.InvalidSourceSnapshot, path, "cannot be read: %v", err)
	case len(text) > maxPart:
		return v, problem.New(problem.InvalidSourceSnapshot, path,
			"has more than %d bytes; logs in the format .eval are read part by part", maxPart)
	}
	finite, _ := sources.ReplaceNotFinite(string(text))
	r := ijson.NewReader(finite, problem.InvalidSourceSnapshot)
	v = kept(r, keep)
	if faults := r.End(); faults != nil {
		return v, faults.Under(path).Locate(string(text), problem.Start(name)).Err()
	}
	detach(&v)
	return v, nil
}

// detach copies the texts of a value, which else hold the whole text that it was read from.
func detach(v *ijson.Value) {
	v.Text = strings.Clone(v.Text)
	for i := range v.Items {
		detach(&v.Items[i])
	}
	for i := range v.Members {
		v.Members[i].Name = strings.Clone(v.Members[i].Name)
		detach(&v.Members[i].Value)
	}
}

// kept reads a value and returns what a shape keeps of it.
func kept(r *ijson.Reader, keep shape) ijson.Value {
	if keep == nil {
		return r.Value()
	}
	v := ijson.Value{Kind: r.Kind()}
	all, isAll := keep[each]
	switch v.Kind {
	case '{':
		for n := r.Names(); n.Next(); {
			of, is := keep[n.Name()]
			if !is && !isAll {
				r.Skip()
				continue
			}
			if !is {
				of = all
			}
			v.Members = append(v.Members, ijson.Member{Name: n.Name(), Value: kept(r, of)})
		}
	case '[':
		for l := r.List(); l.Next(); {
			v.Items = append(v.Items, kept(r, all))
		}
	default:
		return r.Value()
	}
	return v
}

// tidy takes the words out of what is kept: of scores the numbers stay, of errors that there was
// one, of limits their kind, and of texts that may be prompts their digests.
func tidy(log *ijson.Value) {
	for i := range log.Members {
		switch m := &log.Members[i]; m.Name {
		case "eval":
			for j := range m.Value.Members {
				if name := m.Value.Members[j].Name; name == "model_generate_config" || name == "model_args" || name == "config" {
					hide(&m.Value.Members[j].Value)
				}
			}
		case "samples":
			for j := range m.Value.Items {
				tidySample(&m.Value.Items[j])
			}
		}
	}
}

func tidySample(sample *ijson.Value) {
	for i := range sample.Members {
		m := &sample.Members[i]
		switch m.Name {
		case "error":
			if m.Value.Kind != 'n' {
				m.Value = ijson.Value{Kind: 't'}
			}
		case "limit":
			if kind, is := m.Value.Get("type"); is {
				m.Value = kind
			}
			hide(&m.Value)
		case "id":
			if m.Value.Kind == '0' {
				m.Value.Kind = '"'
			}
		case "scores":
			for j := range m.Value.Members {
				score, _ := m.Value.Members[j].Value.Get("value")
				m.Value.Members[j].Value = numbers(score)
			}
		}
	}
}

// hide puts a digest in the place of each text that is more than a word.
func hide(v *ijson.Value) {
	const most = 40
	if v.Kind == '"' && (len(v.Text) > most || strings.ContainsAny(v.Text, " \t\r\n/\\,=")) {
		v.Text = "sha256:" + canonical.SumText(v.Text)[:12]
	}
	for i := range v.Items {
		hide(&v.Items[i])
	}
	for i := range v.Members {
		hide(&v.Members[i].Value)
	}
}

// words are the scores that Inspect writes as words, with their numbers.
var words = map[string]string{
	"C": "1", "P": "0.5", "I": "0", "N": "0", "yes": "1", "true": "1", "no": "0", "false": "0",
}

// numbers returns a score as a number or as an object of numbers; null if it is neither.
func numbers(v ijson.Value) ijson.Value {
	text, isWord := words[v.Text]
	switch v.Kind {
	case '0':
		return v
	case 't':
		return ijson.Value{Kind: '0', Text: "1"}
	case 'f':
		return ijson.Value{Kind: '0', Text: "0"}
	case '{':
		out := ijson.Value{Kind: '{'}
		for _, m := range v.Members {
			if n := numbers(m.Value); n.Kind == '0' {
				out.Members = append(out.Members, ijson.Member{Name: m.Name, Value: n})
			}
		}
		return out
	case '"':
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil && !isWord {
			number := bytes.TrimSpace(canonical.AppendNumber(nil, f))
			return ijson.Value{Kind: '0', Text: string(number)}
		}
		if isWord {
			return ijson.Value{Kind: '0', Text: text}
		}
	}
	return ijson.Value{Kind: 'n'}
}

// errNoLog says that a value is no log.
func errNoLog(what string) string {
	return fmt.Sprintf("missing field: this is no log of Inspect without %s", what)
}
