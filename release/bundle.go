package main

import (
	"slices"
	"strings"
)

// This file makes the bundle that desktop programs install with a click: svc as a server of
// the Model Context Protocol, with a manifest that asks for the catalog. The name has no
// version, so that there is one address for the newest.

// bundle returns the name and the text of the bundle for a platform: a zip.
func (r *release) bundle(b *binary, with companions, licences []byte) (name string, text []byte, err error) {
	manifest, err := r.manifest(b.platform)
	if err != nil {
		return "", nil, err
	}
	files := []file{
		{"manifest.json", plain, manifest},
		{"server/" + b.platform.program(), executable, b.text},
		{"LICENSE", plain, with.licence},
		{"THIRD-PARTY-LICENSES", plain, licences},
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	text, err = zipped(files, r.origin.date)
	return "svc-" + b.platform.os + "-" + b.platform.arch + ".mcpb", text, err
}

// manifest is the manifest of a bundle, version 0.3.
func (r *release) manifest(p platform) ([]byte, error) {
	type object map[string]any
	system, _ := p.node()
	program := "server/" + p.program()
	return indented(object{
		"manifest_version": "0.3",
		"name":             "svc",
		"display_name":     "Model catalog",
		"version":          r.version.number(),
		"description":      summary + ".",
		"author":           object{"name": "The svc maintainers", "url": homepage},
		"homepage":         homepage,
		"license":          "Apache-2.0",
		"server": object{
			"type":        "binary",
			"entry_point": program,
			"mcp_config": object{"command": "${__dirname}/" + program,
				"args": []string{"mcp", "--catalog", "${user_config.catalog}"}, "env": object{}},
		},
		"compatibility": object{"platforms": []string{system}},
		"user_config": object{
			"catalog": object{"type": "file", "title": "Catalog", "description": "A catalog snapshot, as svc compile writes it.",
				"required": true},
		},
	})
}
