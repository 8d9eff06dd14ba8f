package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

type validateOptions struct {
	files  []string
	output string // text or json
}

func newValidate(run func(context.Context, validateOptions) error) *cobra.Command {
	var opts validateOptions
	c := &cobra.Command{
		Use:   "validate FILE... [--output text, json]",
		Short: "Name the kind of files and every problem in them",
		Long: `Tells for each FILE what kind it is, by its schemaVersion, and whether it is
right; every problem in it is named on stderr, with line and column. A directory
stands for its *.json, *.jsonl and *.ndjson, those of directories below it too;
- for standard input. Observations and rank results may stand one a line, others
are one a file.`,
		Example: `  svc validate catalog.json
  svc validate observations/ requests/
  svc rank --catalog catalog.json request.json | svc validate -`,
		Annotations: map[string]string{annotationNotes: "Kinds:\n  " + strings.Join(kindNames(), "\n  ") + `

Exit codes:
  0  every file is right
  1  some file is not, or cannot be read
  2  usage error

--output json prints a line for each file that can be read:
  {"digest":text or null,"file":text,"kind":text or null,"ok":boolean,"problems":
  [{"code":text or null,"column":count,"line":count,"message":text,"path":text}]}`},
		ValidArgsFunction: offerFiles("json", "jsonl", "ndjson"),
		Args:              func(_ *cobra.Command, args []string) error { return needFiles("FILE", args) },
		RunE: func(c *cobra.Command, args []string) error {
			opts.files = args
			return run(c.Context(), opts)
		},
	}
	addOutput(c, &opts.output, outputText, outputJSON)
	return c
}

// validate goes on when a file is bad or cannot be read, so that everything
// that is wrong comes to light at once.
func (p *program) validate(ctx context.Context, opts validateOptions) error {
	collectSeldom()
	bar := p.startProgress("validating", 0, inBytes)
	defer bar.end()
	allRight := true
	refuse := func(err error) {
		allRight = false
		bar.aside(func() { p.explain(nil, err) })
	}
	for _, arg := range opts.files {
		in, err := p.findInputs(arg)
		if err != nil {
			refuse(err)
			continue
		}
		for _, f := range in.files {
			v, err := p.inspectInput(ctx, f, bar)
			if err != nil {
				refuse(err)
				continue
			}
			bar.aside(func() { p.printVerdict(v, opts.output) })
			allRight = allRight && v.faults == nil
		}
	}
	if !allRight {
		return exitError(exitFailure)
	}
	return nil
}

func (p *program) inspectInput(ctx context.Context, in input, bar *progress) (verdict, error) {
	source, err := p.read(in, bar)
	if errors.Is(err, errNoDocument) {
		e := problem.New("", "$", "%s", errNoDocument)
		e.Place = problem.Start(in.name)
		return verdict{file: in.name, faults: problem.List{e}}, nil
	}
	if err != nil {
		return verdict{}, err
	}
	return inspect(ctx, source)
}

// verdict is what validate finds in a file.
type verdict struct {
	file   string
	kind   string // empty if unknown
	digest string // of kinds that have one
	faults problem.List
}

func (p *program) printVerdict(v verdict, output string) {
	p.explainAll(v.faults)
	if output == outputJSON {
		p.stdout.Write(append(v.appendJSON(nil), '\n'))
	} else {
		p.stdout.WriteString(v.line(p.screen.onStdout) + "\n")
	}
	p.stdout.Flush() // an error stays in the writer
}

func (v *verdict) line(paint palette) string {
	state, rest := paint.good.Sprint("ok"), v.kind
	if v.faults != nil {
		state = paint.bad.Sprint("invalid")
	}
	if v.kind == "" {
		rest = "unknown"
	}
	if v.digest != "" {
		rest += " " + v.digest
	}
	return fmt.Sprintf("%s: %s: %s", printable(v.file), state, rest)
}

func (v *verdict) appendJSON(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"digest":`)
	e.TextOrNull(v.digest)
	e.Raw(`,"file":`)
	e.Text(valid(v.file))
	e.Raw(`,"kind":`)
	e.TextOrNull(v.kind)
	e.Raw(`,"ok":`)
	e.Bool(v.faults == nil)
	e.Raw(`,"problems":[`)
	for i, fault := range v.faults {
		if i > 0 {
			e.Raw(`,`)
		}
		e.Raw(`{"code":`)
		e.TextOrNull(string(fault.Code))
		e.Raw(`,"column":`)
		e.Uint(uint64(fault.Place.Column))
		e.Raw(`,"line":`)
		e.Uint(uint64(fault.Place.Line))
		e.Raw(`,"message":`)
		e.Text(valid(fault.Error()))
		e.Raw(`,"path":`)
		e.Text(valid(fault.Path))
		e.Raw(`}`)
	}
	e.Raw(`]}`)
	return e.Buf
}
