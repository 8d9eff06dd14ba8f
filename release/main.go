// Release makes what is published of a version of svc: for each platform an
// archive and a list of what is in the binary (SBOM), packages for Debian and
// RPM systems, and the checksums of all.
//
//	go -C release run . -version v1.2.3 -maintainer "Name <address>"
//
// It runs the go command and git, and writes nothing but its folder. All that it
// writes follows from the sources, their commit and the version of Go: who runs
// it elsewhere, at another time, gets the same bytes. docs/releasing.md tells
// more.
//
// It is a module of its own, so that nobody who imports svc has to know of the
// libraries that write packages.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/mail"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// parseMaintainer reads who maintains the packages: those who install them write to that
// address, so that it has to be one that there can be.
func parseMaintainer(text string) (string, error) {
	a, err := mail.ParseAddress(text)
	switch {
	case text == "":
		return "", errors.New("-maintainer is missing: packages say whom to write to")
	case err != nil || a.Name == "" || strings.ContainsAny(a.Name, "<>\n"):
		return "", fmt.Errorf("-maintainer %q must be like \"Name <address>\"", text)
	case !strings.Contains(a.Address[strings.LastIndex(a.Address, "@"):], ".") || strings.HasSuffix(a.Address, ".invalid"):
		return "", fmt.Errorf("-maintainer %q is not an address that mail can reach", text)
	}
	return a.Name + " <" + a.Address + ">", nil
}

// errUsage is a fault of the command line, which has been told.
var errUsage = errors.New("usage")

func run(ctx context.Context, args []string, progress io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(progress)
	text := flags.String("version", "", "`version` to release, such as v1.2.3 or v1.3.0-rc.1; required")
	source := flags.String("source", "..", "`folder` with the sources")
	out := flags.String("o", "../dist", "`folder` to make; it must not be there yet")
	commit := flags.String("commit", "",
		"commit of the sources, where there is no git; then SOURCE_DATE_EPOCH must be set")
	maintainer := flags.String("maintainer", "", "`who` maintains the packages: \"Name <address>\"; required")
	platforms := flags.String("platforms", "", "`list` of platforms such as linux/amd64,windows/arm64 (default all)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	misuse := func(err error) error {
		fmt.Fprintln(progress, "release:", err)
		flags.Usage()
		return errUsage
	}
	if flags.NArg() > 0 {
		return misuse(fmt.Errorf("unexpected argument: %s", flags.Arg(0)))
	}
	v, err := parseVersion(*text)
	if err != nil {
		return misuse(err)
	}
	who, err := parseMaintainer(*maintainer)
	if err != nil {
		return misuse(err)
	}
	targets, err := parsePlatforms(*platforms)
	if err != nil {
		return misuse(err)
	}
	from, err := findOrigin(ctx, *source, *commit)
	if err != nil {
		return err
	}
	return publish(ctx, &release{version: v, origin: from, source: *source, maintainer: who}, targets, *out, progress)
}
