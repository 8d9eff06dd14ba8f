package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// version is a semantic version with a v before it, as Go modules have it.
type version string

func parseVersion(s string) (version, error) {
	const number, word = `(0|[1-9][0-9]*)`, `(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`
	// Metadata behind a plus is left out: it would make two releases of one version.
	pattern := `^v` + number + `\.` + number + `\.` + number + `(-` + word + `(\.` + word + `)*)?$`
	if !regexp.MustCompile(pattern).MatchString(s) {
		return "", fmt.Errorf("-version must be like v1.2.3 or v1.3.0-rc.1, it is %q", s)
	}
	return version(s), nil
}

// number is the version as files and packages are called.
func (v version) number() string { return strings.TrimPrefix(string(v), "v") }

// debian is the version as Debian orders it: what leads up to a version is before
// it.
func (v version) debian() string { return strings.Replace(v.number(), "-", "~", 1) }

// platform is a system and an architecture that svc is built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// program is the name of the binary.
func (p platform) program() string {
	if p.os == "windows" {
		return "svc.exe"
	}
	return "svc"
}

func allPlatforms() (all []platform) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, platform{system, arch})
		}
	}
	return all
}

// parsePlatforms reads a list; an empty one stands for all.
func parsePlatforms(list string) (targets []platform, err error) {
	if list == "" {
		return allPlatforms(), nil
	}
	for name := range strings.SplitSeq(list, ",") {
		at := slices.IndexFunc(allPlatforms(), func(p platform) bool { return p.String() == name })
		if at < 0 {
			return nil, fmt.Errorf("-platforms: %q is not one of %v", name, allPlatforms())
		}
		if p := allPlatforms()[at]; !slices.Contains(targets, p) {
			targets = append(targets, p)
		}
	}
	return targets, nil
}
