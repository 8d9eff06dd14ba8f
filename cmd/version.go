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

type versionOptions struct {
	output string // text or json
}

func newVersion(run func(context.Context, versionOptions) error) *cobra.Command {
	var opts versionOptions
	c := &cobra.Command{
		Use:   "version [--output text, json]",
		Short: "Print the version of svc and of what built it",
		Long: `Prints the version of svc, the commit that it was built from if that is known,
the version of Go and the platform.`,
		Example:     "  svc version\n  svc version --output json",
		Annotations: map[string]string{annotationNotes: exitNotes, annotationNoSettings: "true"},
		Args:        noArguments,
		RunE:        func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) },
	}
	addOutput(c, &opts.output, outputText, outputJSON)
	return c
}

// version prints what the linker and the version control left in the binary.
func (p *program) version(_ context.Context, opts versionOptions) error {
	version, commit := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(info.Main.Version, version)
		commit = commitOf(info.Settings)
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if opts.output == outputJSON {
		var e canonical.Encoder
		e.Raw(`{"commit":`)
		e.TextOrNull(commit)
		e.Raw(`,"go":`)
		e.Text(runtime.Version())
		e.Raw(`,"platform":`)
		e.Text(platform)
		e.Raw(`,"version":`)
		e.Text(version)
		e.Raw("}\n")
		p.stdout.Write(e.Buf)
		return nil
	}
	fmt.Fprintf(p.stdout, "svc %s\n", version)
	if commit != "" {
		fmt.Fprintf(p.stdout, "commit %s\n", commit)
	}
	fmt.Fprintf(p.stdout, "%s %s\n", runtime.Version(), platform)
	return nil
}

// commitOf returns the commit that was built, marked if files differed from it.
func commitOf(settings []debug.BuildSetting) string {
	commit, dirty := "", false
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && commit != "" {
		commit += "-dirty"
	}
	return commit
}
