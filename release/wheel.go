package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// This file makes wheels for PyPI: the binary as a script, no Python. The name svc may be taken
// by anyone there, so the package has the name of the project.

const wheelName = "model_catalog_service"

// wheelTags are the platforms that a binary runs on, as pip calls them. The binary is static,
// so that every C library does; Go says which macOS it needs.
var wheelTags = map[platform][]string{
	{"linux", "amd64"}:   {"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
	{"linux", "arm64"}:   {"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
	{"darwin", "amd64"}:  {"macosx_12_0_x86_64"},
	{"darwin", "arm64"}:  {"macosx_12_0_arm64"},
	{"windows", "amd64"}: {"win_amd64"},
	{"windows", "arm64"}: {"win_arm64"},
}

// python is the version as PyPI writes it. It has no name for versions that lead up to one by
// other words than alpha, beta and rc: of these there are no wheels.
func (v version) python() (number string, ok bool) {
	m := regexp.MustCompile(`^([0-9.]+)(?:-(alpha|beta|rc)\.?([0-9]*))?$`).FindStringSubmatch(v.number())
	if m == nil {
		return "", false
	}
	if m[2] == "" {
		return m[1], true
	}
	short := map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}
	if m[3] == "" {
		m[3] = "0"
	}
	return m[1] + short[m[2]] + m[3], true
}

// wheel returns the wheel for a platform, of a version that PyPI has a name for.
func (r *release) wheel(b *binary, number string, with companions, licences []byte) (file, error) {
	stem := wheelName + "-" + number
	tags := wheelTags[b.platform]
	about := "Wheel-Version: 1.0\nGenerator: svc release\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		about += "Tag: py3-none-" + tag + "\n"
	}
	metadata := fmt.Sprintf(`Metadata-Version: 2.4
Name: %s
Version: %s
Summary: %s
Project-URL: Homepage, %s
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD-PARTY-LICENSES
Requires-Python: >=3.8
Description-Content-Type: text/markdown

%s`, strings.ReplaceAll(wheelName, "_", "-"), number, summary, homepage, with.registry)
	info := stem + ".dist-info/"
	files := []file{
		{stem + ".data/scripts/" + b.platform.program(), executable, b.text},
		{info + "METADATA", plain, []byte(metadata)},
		{info + "WHEEL", plain, []byte(about)},
		{info + "licenses/LICENSE", plain, with.licence},
		{info + "licenses/THIRD-PARTY-LICENSES", plain, licences},
	}
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.text)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.text))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	files = append(files, file{info + "RECORD", plain, []byte(record.String())})
	text, err := zipped(files, r.origin.date)
	return file{name: stem + "-py3-none-" + strings.Join(tags, ".") + ".whl", text: text}, err
}
