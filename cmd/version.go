package cmd

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// What the linker leaves in the binary of a release (see docs/releasing.md), empty in
// all others.
var releaseVersion, releaseCommit, releaseDate string

func newVersion(run func(ctx context.Context, output string) error) *cobra.Command {
	var output string
	return option.Declare(&cobra.Command{
		Use:   "version [--output text, json]",
		Short: "Print the version of svc, and how it was built",
		RunE:  option.Run(run, &output),
	}, option.Format(&output, option.FormatText, option.FormatJSON))
}

// build is what is known of how a binary was made.
type build struct {
	Version  string      `json:"version"`
	Commit   record.Text `json:"commit"`
	Date     record.Text `json:"date"`
	Go       string      `json:"go"`
	Platform string      `json:"platform"`
}

// thisBuild is what the linker was given, else what the go command left.
func thisBuild() build {
	b := build{Version: releaseVersion, Commit: record.Text(releaseCommit), Date: record.Text(releaseDate)}
	if info, ok := debug.ReadBuildInfo(); ok && releaseVersion == "" {
		b = fromVersionControl(info.Settings)
		b.Version = info.Main.Version
	}
	b.Version = cmp.Or(b.Version, "unknown")
	b.Go, b.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return b
}

// version prints how this binary was made.
func (p *program) version(_ context.Context, output string) error {
	b := thisBuild()
	if output == option.FormatJSON {
		p.PrintJSON(canonical.MustMarshal(b))
		return nil
	}
	p.Printf("svc %s\n", b.Version)
	if b.Commit != "" {
		p.Printf("commit %s\n", b.Commit)
	}
	if b.Date != "" {
		p.Printf("date %s\n", b.Date)
	}
	p.Printf("%s %s\n", b.Go, b.Platform)
	return nil
}

// fromVersionControl returns the commit that was built, marked if files differed from
// it, and its date.
func fromVersionControl(settings []debug.BuildSetting) (b build) {
	dirty := false
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = record.Text(s.Value)
		case "vcs.time":
			b.Date = record.Text(s.Value)
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && b.Commit != "" {
		b.Commit += "-dirty"
	}
	return b
}
