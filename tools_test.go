package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CI installs what CONTRIBUTING says that it has, no more and no less.
func TestToolsAreTold(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var installed, told []string
	for _, line := range regexp.MustCompile(`(?m)^need .* (\S+)$`).FindAllStringSubmatch(read(".ci/run"), -1) {
		installed = append(installed, line[1])
	}
	for _, line := range regexp.MustCompile(`(?m)^programs \S+ (.*)$`).FindAllStringSubmatch(read(".ci/run"), -1) {
		for name := range strings.FieldsSeq(line[1]) {
			installed = append(installed, name[:strings.LastIndex(name, "@")])
		}
	}
	if strings.Contains(read(".ci/cross"), "install_emulators") {
		installed = append(installed, "qemu-user-static")
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (.+) \| (?:Debian|npm) \| .+ \|$`).FindAllStringSubmatch(read("CONTRIBUTING.md"), -1) {
		told = append(told, strings.Split(row[1], ", ")...)
	}
	slices.Sort(installed)
	slices.Sort(told)
	if !slices.Equal(installed, told) || len(told) < 10 {
		t.Errorf("CI installs\n%q, and CONTRIBUTING tells of\n%q", installed, told)
	}
}

// A test that lacks a tool ends by the one function that skips on the machine of a developer
// and fails in CI.
func TestMissingToolsFailInCI(t *testing.T) {
	looked := regexp.MustCompile(`exec\.LookPath\(([^)]*)\)`)
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "release") {
			return err
		}
		files++
		text, err := os.ReadFile(name)
		for _, found := range looked.FindAllSubmatch(text, -1) {
			if program := string(found[1]); program != `"svc"` { // which the tests bring
				t.Errorf("%s looks for %s: let vectortest.Tool do that", name, program)
			}
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}
