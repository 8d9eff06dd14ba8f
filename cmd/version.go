package cmd

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// What the linker leaves in the binary of a release (see docs/releasing.md), empty
// in all others.
var releaseVersion, releaseCommit, releaseDate string

type versionOptions struct {
	output string // text or json
}

func newVersion(run func(context.Context, versionOptions) error) *cobra.Command {
	var opts versionOptions
	c := &cobra.Command{
		Use:   "version [--output text, json]",
		Short: "Print the version of svc and of what built it",
		Long: `Prints the version of svc, the commit that it was built from and its date if
they are known, the version of Go and the platform.`,
		Example:           "  svc version\n  svc version --output json",
		Annotations:       map[string]string{annotationNotes: exitNotes, annotationNoSettings: "true"},
		Args:              noArguments,
		ValidArgsFunction: offerNothing,
		RunE:              func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) },
	}
	addOutput(c, &opts.output, outputText, outputJSON)
	return c
}

// build is what is known of how a binary was made.
type build struct{ version, commit, date string }

// thisBuild is what the linker was told, else what the go command left.
func thisBuild() build {
	if releaseVersion != "" {
		return build{releaseVersion, releaseCommit, releaseDate}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "unknown"}
	}
	b := fromVersionControl(info.Settings)
	b.version = cmp.Or(info.Main.Version, "unknown")
	return b
}

// version prints what the linker and the version control left in the binary.
func (p *program) version(_ context.Context, opts versionOptions) error {
	b := thisBuild()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if opts.output == outputJSON {
		var e canonical.Encoder
		e.Raw(`{"commit":`)
		e.TextOrNull(b.commit)
		e.Raw(`,"date":`)
		e.TextOrNull(b.date)
		e.Raw(`,"go":`)
		e.Text(runtime.Version())
		e.Raw(`,"platform":`)
		e.Text(platform)
		e.Raw(`,"version":`)
		e.Text(b.version)
		e.Raw("}\n")
		p.stdout.Write(e.Buf)
		return nil
	}
	fmt.Fprintf(p.stdout, "svc %s\n", b.version)
	if b.commit != "" {
		fmt.Fprintf(p.stdout, "commit %s\n", b.commit)
	}
	if b.date != "" {
		fmt.Fprintf(p.stdout, "date %s\n", b.date)
	}
	fmt.Fprintf(p.stdout, "%s %s\n", runtime.Version(), platform)
	return nil
}

// fromVersionControl returns the commit that was built, marked if files differed
// from it, and its date.
func fromVersionControl(settings []debug.BuildSetting) (b build) {
	dirty := false
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.date = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && b.commit != "" {
		b.commit += "-dirty"
	}
	return b
}
