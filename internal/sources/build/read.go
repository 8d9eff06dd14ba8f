package build

import (
	"context"
	"fmt"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file makes observations of the bodies that the catalog uses.

// importAll imports all sources, lists of offers first: they name the models that labels are.
func (b *build) importAll(ctx context.Context) error {
	for _, isList := range []bool{true, false} {
		for _, p := range b.parts {
			if p.adapter == nil || p.adapter.IsPriceSource() != isList || len(p.bodies) == 0 {
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := b.importPart(p); err != nil {
				// Its bodies were read before they counted, so that this is rare: a newer svc may
				// refuse what an older one took.
				p.lines, p.built.State, p.built.Reason = nil, stateAbsent, record.Text(plain(err))
				b.warnOf(p)
			}
		}
	}
	return nil
}

// importPart imports the bodies of a source.
func (b *build) importPart(p *part) error {
	request := sources.Request{Manifest: b.Manifest, Decisions: b.decided, LinesOnly: true}
	for _, one := range p.bodies {
		request.Snapshots = append(request.Snapshots, one.file)
	}
	var err error
	if request.Mapping, err = b.mapping(p); err != nil {
		return err
	}
	result, err := p.adapter.Import(request)
	if err != nil {
		return err
	}
	err = result.Lines(func(line []byte) error {
		p.lines = append(p.lines, string(line))
		return nil
	})
	if err != nil {
		return err
	}
	a := result.Acquisition
	p.built.Rows, p.built.Imported = a.Rows, a.Imported
	for rule, rows := range a.Identified {
		p.built.Joined[rule] += rows
	}
	for i := range result.Diagnostics {
		count := p.built.LeftOut
		if result.Diagnostics[i].IsRow {
			count = p.built.Skipped
		}
		count[string(result.Diagnostics[i].Reason)] += max(1, result.Diagnostics[i].Snapshots)
	}
	return nil
}

// mapping returns which row of a source is which model: what a file of the recipe says, and of
// labels of which it says nothing what the rules of names say.
func (b *build) mapping(p *part) (m problem.Source, err error) {
	if p.Mapping != "" {
		if m, err = b.readFile(p.Mapping); err != nil {
			return m, err
		}
	}
	if p.adapter.IsPriceSource() {
		if m.Text == "" {
			m = sources.EmptyMapping(p.ID)
		}
		return m, nil
	}
	if p.approved == nil {
		if m.Text == "" && p.adapter.Reducer() != nil {
			var read []sources.File
			for _, one := range p.bodies {
				read = append(read, one.file)
			}
			return identity.MapRuns(p.adapter, b.Manifest, read, b.decided)
		}
		if m.Text == "" {
			return m, fmt.Errorf("%s needs a mapping: which run is which model, in which environment", p.ID)
		}
		return m, nil
	}
	return b.identifyLabels(p, m)
}
