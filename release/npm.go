package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// This file makes packages for npm: one for each platform, which has the binary, and one that
// has them as optional dependencies and runs the one that npm has installed. No package runs a
// program or downloads anything when it is installed. The bare name svc is another project's.

const npmScope = "@model-catalog-service/"

// node returns what Node.js calls a platform.
func (p platform) node() (system, arch string) {
	system, arch = p.os, p.arch
	if system == "windows" {
		system = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return system, arch
}

// npmName is the name of the package for a platform.
func (p platform) npmName() string {
	system, arch := p.node()
	return npmScope + "svc-" + system + "-" + arch
}

type npmPackage struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Homepage     string            `json:"homepage"`
	Repository   map[string]string `json:"repository"`
	License      string            `json:"license"`
	Bin          map[string]string `json:"bin,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	IsFileNeeded bool              `json:"preferUnplugged,omitempty"` // Yarn would keep it in a zip
}

// npmProgram is the package with the binary of a platform.
func (r *release) npmProgram(b *binary, with companions, licences []byte) (file, error) {
	system, arch := b.platform.node()
	return r.npm(npmPackage{
		Name:        b.platform.npmName(),
		Description: "The program of " + npmScope + "svc for " + b.platform.String() + ".",
		OS:          []string{system}, CPU: []string{arch}, IsFileNeeded: true,
	}, with, file{b.platform.program(), executable, b.text}, file{"THIRD-PARTY-LICENSES", plain, licences})
}

// npmChooser is the package that people install.
func (r *release) npmChooser(targets []platform, with companions) (file, error) {
	script, err := os.ReadFile(filepath.Join(r.source, "packaging", "npm", "svc", "svc.js"))
	if err != nil {
		return file{}, err
	}
	p := npmPackage{
		Name: npmScope + "svc", Description: summary + ".",
		Bin: map[string]string{"svc": "svc.js"}, Engines: map[string]string{"node": ">=18"},
		Optional: map[string]string{},
	}
	for _, target := range targets {
		p.Optional[target.npmName()] = r.version.number()
	}
	return r.npm(p, with, file{"svc.js", executable, script})
}

// npm returns a package of files, as npm pack names and writes it.
func (r *release) npm(p npmPackage, with companions, files ...file) (file, error) {
	p.Version, p.Homepage, p.License = r.version.number(), homepage, "Apache-2.0"
	p.Repository = map[string]string{"type": "git", "url": "git+" + homepage + ".git"}
	text, err := indented(p)
	if err != nil {
		return file{}, err
	}
	all := append([]file{{"package.json", plain, text}, {"LICENSE", plain, with.licence},
		{"README.md", plain, with.registry}}, files...)
	for i := range all {
		all[i].name = "package/" + all[i].name
	}
	text, err = tarred(all, r.origin.date)
	name := strings.ReplaceAll(strings.TrimPrefix(p.Name, "@"), "/", "-")
	return file{name: name + "-" + p.Version + ".tgz", text: text}, err
}

// indented returns a value as JSON for people.
func indented(value any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return text.Bytes(), err
}
