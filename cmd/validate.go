package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/export"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/printable"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/table"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

type validateOptions struct {
	files  []string
	output string // text or json
}

func newValidate(run func(context.Context, validateOptions) error) *cobra.Command {
	var opts validateOptions
	return option.Declare(&cobra.Command{
		Use:               "validate FILE... [--output text, json]",
		Short:             "Check files of any kind, and list every problem in them",
		SuggestFor:        []string{"lint"},
		ValidArgsFunction: option.Endings("json", "jsonl", "ndjson"),
		Args:              option.Files(&opts.files, "FILE"),
		RunE:              option.Run(run, &opts),
	}, option.Format(&opts.output, option.FormatText, option.FormatJSON))
}

// validate goes on when a file is bad or cannot be read, so that everything that is
// wrong comes to light at once.
func (p *program) validate(ctx context.Context, opts validateOptions) error {
	setHeapGrowth(heapOfFiles)
	bar := p.Progress("validating", 0, console.Bytes)
	defer bar.End()
	allRight := true
	var run importRun
	for _, arg := range opts.files {
		in, err := p.inputs(arg)
		if err != nil {
			allRight = false
			bar.HideWhile(func() { p.Fail(err) })
			continue
		}
		for _, f := range in.Files {
			v, err := inspect(ctx, f, bar)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			bar.HideWhile(func() {
				if err != nil {
					p.Fail(err)
				} else {
					p.printVerdict(v, opts.output)
				}
			})
			allRight = allRight && err == nil && v.OK
			run.add(f, &v)
		}
	}
	var err error
	bar.HideWhile(func() { err = run.check(p.Console) })
	if err != nil {
		return err
	}
	if !allRight {
		return exitError(exitFailure)
	}
	return nil
}

// importRun is what validate saw of the outputs of an import.
type importRun struct {
	records      []verdict
	observations []files.Input
}

func (r *importRun) add(in files.Input, v *verdict) {
	switch {
	case !v.OK:
	case v.acquisition != nil:
		r.records = append(r.records, *v)
	case v.Kind == record.Text(files.Observations.Name):
		r.observations = append(r.observations, in)
	}
}

// check warns of a record of an import if none of the files of observations is of the same
// run. Without any file, or with one that cannot be read again, nobody can tell.
func (r *importRun) check(c *console.Console) error {
	if len(r.records) == 0 || len(r.observations) == 0 {
		return nil
	}
	digests := map[record.Text]bool{"": true} // a record without digest is of any run
	for _, in := range r.observations {
		if !in.IsRereadable() {
			return nil
		}
		f, _, err := disk.Open(in.Name)
		if err != nil {
			return files.Named(in.Name, err)
		}
		digest := sha256.New()
		_, err = io.Copy(digest, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return files.Named(in.Name, err)
		}
		digests[record.Text(hex.EncodeToString(digest.Sum(nil)))] = true
	}
	for _, v := range r.records {
		if !digests[v.acquisition.ObservationsSHA256] {
			c.Warn("%s is of another import than the observations: import them again, "+
				"or validate those of its run with it", v.File)
		}
	}
	return nil
}

// verdict is what validate finds in a file.
type verdict struct {
	File     string      `json:"file"`
	Kind     record.Text `json:"kind"`   // empty if unknown
	Digest   record.Text `json:"digest"` // of kinds that have one
	OK       bool        `json:"ok"`
	Problems []fault     `json:"problems"`
	faults   problem.List
	doubtful map[string]bool // names of the file that are, each once
	warnings []string        // about them

	acquisition *sources.Acquisition // that the file is; nil if it is another kind
}

type fault struct {
	Code    record.Text `json:"code"`
	Message string      `json:"message"`
	Path    string      `json:"path"`
	Line    int         `json:"line"`
	Column  int         `json:"column"`
}

// inspect finds out what is in a file and what is wrong with it. The error is one of
// reading it.
func inspect(ctx context.Context, in files.Input, bar *console.Progress) (verdict, error) {
	v := verdict{File: in.Name, doubtful: map[string]bool{}}
	err := v.check(ctx, in, bar)
	if errors.Is(err, files.ErrNoDocument) {
		e := problem.New("", "$", "%s", files.ErrNoDocument)
		e.Place = problem.Start(in.Name)
		err = e
	}
	if faults := problem.All(err); err == nil || faults != nil {
		v.faults, err = append(faults, v.faults...), nil
	}
	v.OK = err == nil && v.faults == nil
	return v, err
}

// look notes the names in a text that are not what they look like. One that has NUL is a
// fault, as databases refuse it and other programs end a text there.
func (v *verdict) look(text string, at problem.Place) {
	from := 0
	printable.Names(text, func(name string, offset int) {
		at, from = at.After(text[from:offset]), offset
		switch {
		case v.doubtful[name]:
		case strings.Contains(name, "\x00"):
			e := problem.New("", "$", "the name %q has U+0000, which no name may have", problem.Clip(name))
			e.Place = at
			v.faults = append(v.faults, e)
		case len(v.doubtful) < console.MaxNamed:
			v.warnings = append(v.warnings, fmt.Sprintf("%s:%d:%d: the name %q %s",
				at.File, at.Line, at.Column, problem.Clip(name), printable.Doubt(name)))
		}
		if len(v.doubtful) < 10*console.MaxNamed {
			v.doubtful[name] = true
		}
	})
}

// check finds the kind of a file and checks it as one of that. Observations are checked
// as they come, so that there may be any number of them.
func (v *verdict) check(ctx context.Context, in files.Input, bar *console.Progress) error {
	opened, err := in.Peek(ctx, bar.Add)
	if err != nil {
		return err
	}
	if opened.IsObservations() {
		v.Kind = record.Text(files.Observations.Name)
		return checkObservations(ctx, in.Name, opened.Stream(), v.look)
	}
	source, err := opened.ReadRest()
	if err != nil {
		return err
	}
	v.look(source.Text, problem.Start(source.Name))
	kind, at := files.KindOf(source)
	v.Kind = record.Text(kind.Name)
	digest := ""
	switch kind {
	case files.Observations:
		err = checkObservations(ctx, in.Name, io.NopCloser(strings.NewReader(source.Text)), nil)
	case files.Catalog:
		var c *catalog.Catalog
		if c, err = catalog.Parse(ctx, source); err == nil {
			digest = c.Digest()
		}
	case files.Manifest:
		var m *sources.Manifest
		if m, err = sources.ParseManifest(source, sources.DefaultRegistry()); err == nil {
			digest = m.Digest()
		}
	case files.Proposal:
		var proposal *discovery.Proposal
		if proposal, err = discovery.ReadProposal(source); err == nil {
			digest = proposal.ID
		}
	case files.Acquisition:
		v.acquisition, err = sources.ReadAcquisition(source)
	default:
		err = checkDocument(kind, source, at)
	}
	v.Digest = record.Text(digest)
	return err
}

// checkDocument says what is wrong with a document of which nothing more is said.
func checkDocument(kind files.Kind, source problem.Source, at int) (err error) {
	switch kind {
	case files.RankRequest:
		_, err = v3.ReadRequest(source)
	case files.RankQuestion:
		_, err = v3.ReadQuestion(source)
	case files.RankResult:
		err = v3.CheckResults(source)
	case files.Explanation:
		_, err = v3.ReadExplanation(source)
	case files.KeyDictionary:
		_, err = keys.Read(source)
	case files.Contents:
		err = contents.Check(source)
	case files.CostTable:
		err = contents.CheckCosts(source)
	case files.Comparison:
		err = v3.CheckComparison(source)
	case files.CatalogDiff:
		_, err = compare.ReadDiffs(source)
	case files.Mapping:
		err = sources.CheckMapping(source, append(adapters(), table.New(nil)))
	case files.Envelope:
		err = sources.CheckEnvelope(source, packagedManifest())
	case files.ModelsLock:
		_, err = lock.Read(source)
	case files.ModelsCheck:
		err = lock.CheckReport(source)
	case files.ExportReport:
		err = export.CheckReport(source)
	case files.CatalogLock:
		err = recipe.CheckLock(source)
	case files.CatalogBuild:
		err = recipe.CheckBuild(source)
	case files.TrustBundle:
		_, err = bundle.Read(source)
	default:
		err = unknownKind(source, at)
	}
	return err
}

func checkObservations(
	ctx context.Context, name string, text io.ReadCloser, look func(string, problem.Place),
) error {
	open := func() (io.ReadCloser, error) { return text, nil }
	_, err := catalog.ValidateSource(ctx, catalog.Source{Name: name, Open: open}, look)
	return err
}

// unknownKind says why a file is of no kind: it is not JSON, or its schemaVersion,
// which is at the offset if it has one, is not known.
func unknownKind(source problem.Source, at int) error {
	r := ijson.NewReader(source.Text, "")
	r.Skip()
	faults := r.End()
	if faults == nil {
		reason := "missing field"
		if at >= 0 {
			r := ijson.NewPartReader("")
			r.Reset(source.Text[at:])
			reason = "is " + console.Clip(string(r.Value().AppendCanonical(nil)))
		}
		var names []string
		for _, k := range files.Kinds() {
			names = append(names, k.Name)
		}
		e := problem.New("", "$.schemaVersion", "%s, must be that of one of: %s", reason, strings.Join(names, ", "))
		e.Offset = max(at, 0)
		faults = problem.List{e}
	}
	return faults.Locate(source.Text, problem.Start(source.Name))
}

func (p *program) printVerdict(v verdict, output string) {
	p.Problems(v.faults)
	for _, warning := range v.warnings {
		p.Warn("%s", warning)
	}
	if output == option.FormatJSON {
		v.Problems = []fault{}
		for _, e := range v.faults {
			v.Problems = append(v.Problems, fault{record.Text(e.Code), e.Error(), e.Path, e.Place.Line, e.Place.Column})
		}
		p.PrintJSON(canonical.MustMarshal(v))
	} else {
		state, kind := p.Out.Good.Sprint("ok"), string(v.Kind)
		if !v.OK {
			state = p.Out.Bad.Sprint("invalid")
		}
		if kind == "" {
			kind = "unknown"
		}
		if v.Digest != "" {
			kind += " " + string(v.Digest)
		}
		p.Printf("%s: %s: %s\n", console.Printable(v.File), state, kind)
	}
	_ = p.Flush() // an error stays with the buffer
}
