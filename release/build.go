package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// module is what is released.
const module = "github.com/model-catalog-service/svc"

// release is one version of the sources.
type release struct {
	version    version
	origin     origin
	source     string // the folder of the sources
	maintainer string // of the packages: Name <address>
	toolchain  string // version of Go, once something is built
}

// binary is svc for a platform.
type binary struct {
	platform platform
	text     []byte
	info     *debug.BuildInfo
}

// build compiles svc. Neither the folder nor the settings of whoever does it
// leave a trace; the go command would otherwise take some from the environment.
func (r *release) build(ctx context.Context, p platform) (*binary, error) {
	folder, err := os.MkdirTemp("", "svc-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, p.program())
	linker := "-s -w -buildid=" +
		" -X " + module + "/cmd.releaseVersion=" + string(r.version) +
		" -X " + module + "/cmd.releaseCommit=" + r.origin.commit +
		" -X " + module + "/cmd.releaseDate=" + r.origin.date.Format(time.RFC3339)
	kept, err := keptSettings(ctx)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", linker, "-o",
		file, ".")
	c.Dir = r.source
	c.Env = append(append(os.Environ(), kept...),
		"CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOENV=off", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=", "GOWORK=off", "GOTOOLCHAIN=local")
	if _, err := output(c); err != nil {
		return nil, err
	}
	b := &binary{platform: p}
	if b.info, err = buildinfo.ReadFile(file); err != nil {
		return nil, err
	}
	if b.text, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	return b, b.check()
}

// keptSettings are the settings of the go command that tell where modules come
// from and where they are kept. They change no byte of a binary.
func keptSettings(ctx context.Context) ([]string, error) {
	names := []string{"GOCACHE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOPROXY", "GOSUMDB"}
	text, err := output(exec.CommandContext(ctx, "go", append([]string{"env"}, names...)...))
	if err != nil {
		return nil, err
	}
	values := strings.Split(text, "\n")
	if len(values) != len(names) {
		return nil, fmt.Errorf("go env prints %d lines for %d settings", len(values), len(names))
	}
	for i, name := range names {
		values[i] = name + "=" + values[i]
	}
	return values, nil
}

// check refuses what could not be built again from the commit alone.
func (b *binary) check() (err error) {
	if b.info.Main.Path != module {
		err = fmt.Errorf("%s: the module is %s, not %s", b.platform, b.info.Main.Path, module)
	}
	for _, m := range b.info.Deps {
		if m.Replace != nil {
			err = errors.Join(err, fmt.Errorf("%s: %s is replaced", b.platform, m.Path))
		}
	}
	return err
}
