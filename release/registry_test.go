package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// invented is a program of a platform that cannot be built here in no time.
func invented(t *testing.T, p platform) (*release, *binary, companions) {
	t.Helper()
	r := &release{version: testVersion, origin: origin{testCommit, testDate()}, source: "..", maintainer: testMaintainer}
	with, err := r.readCompanions()
	if err != nil {
		t.Fatal(err)
	}
	return r, &binary{p, []byte("program of " + p.String()), &debug.BuildInfo{}}, with
}

// readPackage reads a package for npm.
func readPackage(t *testing.T, text []byte) (about npmPackage, modes map[string]int64) {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	modes = map[string]int64{}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			return about, modes
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[h.Name] = h.Mode
		if h.Name == "package/package.json" {
			if err := json.NewDecoder(r).Decode(&about); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The package that people install depends on one for each platform, which is called as its script
// calls it and which npm installs there alone; none has a script that npm runs.
func TestNpm(t *testing.T) {
	r, _, with := invented(t, platform{"linux", "amd64"})
	chooser, err := r.npmChooser(allPlatforms(), with)
	if err != nil {
		t.Fatal(err)
	}
	about, modes := readPackage(t, chooser.text)
	if chooser.name != "model-catalog-service-svc-1.2.3-rc.1.tgz" || about.Name != "@model-catalog-service/svc" ||
		about.Version != "1.2.3-rc.1" || about.Bin["svc"] != "svc.js" || modes["package/svc.js"] != executable ||
		modes["package/README.md"] != plain || modes["package/LICENSE"] != plain || len(about.Optional) != 6 {
		t.Errorf("%s: %+v, %v", chooser.name, about, modes)
	}
	systems := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	arches := map[string]string{"amd64": "x64", "arm64": "arm64"}
	for _, p := range allPlatforms() {
		r, b, with := invented(t, p)
		f, err := r.npmProgram(b, with, []byte("licences"))
		if err != nil {
			t.Fatal(err)
		}
		one, modes := readPackage(t, f.text)
		system, arch := systems[p.os], arches[p.arch]
		if one.Name != "@model-catalog-service/svc-"+system+"-"+arch || about.Optional[one.Name] != one.Version ||
			!slices.Equal(one.OS, []string{system}) || !slices.Equal(one.CPU, []string{arch}) ||
			modes["package/"+p.program()] != executable || modes["package/THIRD-PARTY-LICENSES"] != plain || len(one.Bin) != 0 {
			t.Errorf("%s: %+v, %v", f.name, one, modes)
		}
	}
}

// A wheel has the program as a script, its record names each file with its hash, and its tags are
// those of its name.
func TestWheel(t *testing.T) {
	for _, p := range allPlatforms() {
		r, b, with := invented(t, p)
		number, _ := r.version.python()
		f, err := r.wheel(b, number, with, []byte("licences"))
		if err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(bytes.NewReader(f.text), int64(len(f.text)))
		if err != nil {
			t.Fatal(err)
		}
		contents, record := map[string]string{}, ""
		for _, part := range z.File {
			opened, err := part.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(opened)
			if err != nil || !part.Modified.Equal(testDate()) {
				t.Fatalf("%s of %v, %v", part.Name, part.Modified, err)
			}
			contents[part.Name] = string(text)
			sum := sha256.Sum256(text)
			if strings.HasSuffix(part.Name, "/RECORD") {
				record += part.Name + ",,\n"
			} else {
				record += fmt.Sprintf("%s,sha256=%s,%d\n", part.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
			}
		}
		const stem = "model_catalog_service-1.2.3rc1"
		if contents[stem+".data/scripts/"+p.program()] != string(b.text) || contents[stem+".dist-info/RECORD"] != record {
			t.Errorf("%s: %s", f.name, contents[stem+".dist-info/RECORD"])
		}
		if meta := contents[stem+".dist-info/METADATA"]; !strings.Contains(meta, "\nName: model-catalog-service\nVersion: 1.2.3rc1\n") ||
			!strings.HasSuffix(meta, "\n\n"+string(with.registry)) {
			t.Errorf("%s", meta)
		}
		var tags []string
		for _, m := range regexp.MustCompile(`\nTag: py3-none-(.*)`).FindAllStringSubmatch(contents[stem+".dist-info/WHEEL"], -1) {
			tags = append(tags, m[1])
		}
		if f.name != stem+"-py3-none-"+strings.Join(tags, ".")+".whl" || len(tags) == 0 || !slices.IsSorted(tags) {
			t.Errorf("%s has the tags %q", f.name, tags)
		}
	}
}

func TestPythonVersion(t *testing.T) {
	for v, want := range map[version]string{"v1.2.3": "1.2.3", "v1.3.0-rc.1": "1.3.0rc1", "v1.3.0-alpha": "1.3.0a0", "v1.3.0-beta2": "1.3.0b2",
		"v1.3.0-next.1": "", "v1.3.0-rc.1.2": "", "v1.3.0-rcx": ""} {
		if got, ok := v.python(); got != want || ok != (want != "") {
			t.Errorf("%s is %q, want %q", v, got, want)
		}
	}
}

// The formula has each archive for macOS and Linux with the checksum of the release, below its system and processor.
func TestFormula(t *testing.T) {
	_, files := readPublished(t)
	name, text := only(t, files, ".tar.gz")
	if got := string(files["svc.rb"]); !strings.Contains(got, `releases/download/v1.2.3-rc.1/`+name+"\"\n      sha256 \""+hexSum(text)+`"`) ||
		strings.Contains(got, "on_macos") || runtime.GOARCH == "amd64" == strings.Contains(got, "on_arm") {
		t.Errorf("%s", got)
	}
	r := &release{version: testVersion}
	var made []file
	for _, p := range allPlatforms() {
		made = append(made, file{name: archiveFolder(testVersion, p) + ".tar.gz", text: []byte(p.String())})
	}
	blocks := regexp.MustCompile(`(?s)on_macos.*on_arm.*darwin_arm64.*on_intel.*darwin_amd64.*on_linux do.*on_arm.*linux_arm64.*on_intel.*linux_amd64`)
	if all := string(r.formula(made).text); strings.Count(all, "sha256 ") != 4 || strings.Contains(all, "windows") ||
		!blocks.MatchString(all) {
		t.Errorf("%s", all)
	}
}
