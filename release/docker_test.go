package main

import (
	goversion "go/version"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile.
type instruction struct {
	name string
	args []string
}

// dockerfile returns the instructions by stage.
func dockerfile(t *testing.T) (stages [][]instruction) {
	t.Helper()
	text, err := os.ReadFile("../packaging/docker/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.SplitSeq(joined, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		words := strings.Fields(line)
		if words[0] == "FROM" {
			stages = append(stages, nil)
		}
		if len(stages) == 0 {
			t.Fatalf("%q is before any stage", line)
		}
		last := len(stages) - 1
		stages[last] = append(stages[last], instruction{words[0], words[1:]})
	}
	return stages
}

// The image is made from nothing: it has no shell, and no user but one without a
// name. No daemon is needed to know that.
func TestDockerfile(t *testing.T) {
	stages := dockerfile(t)
	if len(stages) != 2 {
		t.Fatalf("there are %d stages", len(stages))
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	language := "go" + regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(mod))[1]
	from := stages[0][0].args
	if got, ok := strings.CutPrefix(from[len(from)-3], "golang:"); !ok || goversion.Lang("go"+got) != goversion.Lang(language) {
		t.Errorf("it is built by %q, go.mod has %s", from, language)
	}
	lines := map[string][]string{}
	for _, i := range stages[1] {
		if !slices.Contains([]string{"FROM", "COPY", "USER", "EXPOSE", "ENTRYPOINT"}, i.name) {
			t.Errorf("what is %s for?", i.name)
		}
		lines[i.name] = append(lines[i.name], strings.Join(i.args, " "))
	}
	for name, want := range map[string]string{"FROM": "scratch", "USER": "65532:65532", "ENTRYPOINT": `["/svc"]`} {
		if !slices.Equal(lines[name], []string{want}) {
			t.Errorf("%s is %q, want %q", name, lines[name], want)
		}
	}
	for _, line := range lines["COPY"] {
		if !strings.HasPrefix(line, "--from=build /") {
			t.Errorf("COPY %s", line)
		}
	}
	if !slices.Contains(lines["COPY"], "--from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt") {
		t.Error("there are no certificates")
	}
	// Every argument that is used is declared.
	declared := map[string]bool{}
	for _, i := range stages[0] {
		for _, m := range regexp.MustCompile(`\$\{?([A-Z_]+)`).FindAllStringSubmatch(strings.Join(i.args, " "), -1) {
			if m[1] != "BUILDPLATFORM" && !declared[m[1]] {
				t.Errorf("%s is used, and not declared", m[1])
			}
		}
		if i.name == "ARG" {
			if strings.Contains(i.args[0], "=") {
				t.Errorf("%s would stand in the way of what the builder knows", i.args[0])
			}
			declared[i.args[0]] = true
		}
	}
	if !declared["SOURCE_DATE_EPOCH"] {
		t.Error("the program would not be that of the release")
	}
}

// The files that the image copies out of what was built are in the archive, and
// what is left out of the sources is not needed for it.
func TestDockerSources(t *testing.T) {
	_, files := readPublished(t)
	_, archive := only(t, files, ".tar.gz")
	copied := 0
	for _, i := range dockerfile(t)[1] {
		if i.name != "COPY" {
			continue
		}
		for _, from := range i.args[1 : len(i.args)-1] {
			if name, ok := strings.CutPrefix(from, "/svc/"); ok {
				copied++
				if len(extract(t, archive, "/"+name)) == 0 {
					t.Errorf("%s is empty", name)
				}
			}
		}
	}
	if copied != 3 {
		t.Errorf("%d files are copied", copied)
	}
	ignored, err := os.ReadFile("../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	for pattern := range strings.SplitSeq(strings.TrimSpace(string(ignored)), "\n") {
		for _, needed := range []string{"go.mod", "main.go", "cmd", "internal", "service", "release", "packaging", "completions", "docs", "LICENSE", "README.md"} {
			if ok, err := filepath.Match(pattern, needed); err != nil || ok {
				t.Errorf("%s leaves out %s, %v", pattern, needed, err)
			}
		}
	}
}
