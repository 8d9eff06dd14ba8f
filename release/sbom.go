package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// The list of what is in a binary (software bill of materials) is CycloneDX 1.6,
// read from what the go command left in the binary itself.

type bom struct {
	Schema       string          `json:"$schema"`
	Format       string          `json:"bomFormat"`
	SpecVersion  string          `json:"specVersion"`
	SerialNumber string          `json:"serialNumber"`
	Version      int             `json:"version"`
	Metadata     bomMetadata     `json:"metadata"`
	Components   []bomComponent  `json:"components"`
	Dependencies []bomDependency `json:"dependencies"`
}

type bomMetadata struct {
	Timestamp string       `json:"timestamp"`
	Component bomComponent `json:"component"`
}

type bomComponent struct {
	Type       string        `json:"type"`
	Ref        string        `json:"bom-ref"`
	Name       string        `json:"name"`
	Version    string        `json:"version"`
	Scope      string        `json:"scope,omitempty"`
	Hashes     []bomHash     `json:"hashes,omitempty"`
	Licences   []bomLicence  `json:"licenses,omitempty"`
	PURL       string        `json:"purl"`
	Properties []bomProperty `json:"properties,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type bomLicence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type bomProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type bomDependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// packageURL is how a module is called among packages of all kinds: in small
// letters, with a version whose plus is escaped.
func packageURL(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + url.QueryEscape(version)
}

// bill returns the text of the list for a binary.
func (r *release) bill(b *binary) ([]byte, error) {
	main := bomComponent{
		Type:     "application",
		Name:     module,
		Version:  string(r.version),
		PURL:     packageURL(module, string(r.version)) + "?goarch=" + b.platform.arch + "&goos=" + b.platform.os,
		Hashes:   []bomHash{{"SHA-256", hexSum(b.text)}},
		Licences: make([]bomLicence, 1),
		Properties: []bomProperty{
			{"svc:commit", r.origin.commit},
			{"svc:go", b.info.GoVersion},
			{"svc:program", b.platform.program()},
		},
	}
	main.Ref = main.PURL
	main.Licences[0].License.ID = "Apache-2.0"
	list := bom{
		Schema:      "http://cyclonedx.org/schema/bom-1.6.schema.json",
		Format:      "CycloneDX",
		SpecVersion: "1.6",
		Version:     1,
		Metadata:    bomMetadata{r.origin.date.Format(time.RFC3339), main},
	}
	linked := bomDependency{Ref: main.Ref}
	for _, m := range append([]*debug.Module{{Path: "std", Version: strings.TrimPrefix(b.info.GoVersion, "go")}},
		b.info.Deps...) {
		c := bomComponent{Type: "library", Name: m.Path, Version: m.Version, Scope: "required",
			PURL: packageURL(m.Path, m.Version)}
		c.Ref = c.PURL
		if m.Sum != "" { // as in go.sum
			c.Properties = []bomProperty{{"svc:go.sum", m.Sum}}
		}
		list.Components = append(list.Components, c)
		list.Dependencies = append(list.Dependencies, bomDependency{Ref: c.Ref})
		linked.DependsOn = append(linked.DependsOn, c.Ref)
	}
	list.Dependencies = append(list.Dependencies, linked)
	return list.text()
}

// text is the list as JSON. Its serial number is made of its content, so that
// equal lists have equal ones: a UUID of version 8, which leaves that to us.
func (l *bom) text() ([]byte, error) {
	content, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(content)
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	l.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(l)
	return text.Bytes(), err
}

func hexSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
