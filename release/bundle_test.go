package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The bundle has the program, its licences and a manifest that starts it.
func TestBundle(t *testing.T) {
	_, files := readPublished(t)
	name, text := only(t, files, ".mcpb")
	if name != "svc-linux-"+runtime.GOARCH+".mcpb" {
		t.Errorf("it is called %s", name)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, f := range z.File {
		if isProgram := f.Name == "server/svc"; !f.Modified.Equal(testDate()) || (f.Mode() == executable) != isProgram {
			t.Errorf("%s is of %v, mode %v", f.Name, f.Modified, f.Mode())
		}
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		contents[f.Name] = string(all)
	}
	if len(contents) != 4 || contents["LICENSE"] == "" || !strings.Contains(contents["THIRD-PARTY-LICENSES"], "modelcontextprotocol") {
		t.Errorf("there are %d files", len(contents))
	}
	wantVersion(t, []byte(contents["server/svc"]))
	var manifest struct {
		Version string
		Server  struct {
			Type       string
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
		UserConfig map[string]struct{ Type string } `json:"user_config"`
	}
	if err := json.Unmarshal([]byte(contents["manifest.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	s := manifest.Server
	if manifest.Version != "1.2.3-rc.1" || s.Type != "binary" || s.EntryPoint != "server/svc" || s.Config.Command != "${__dirname}/server/svc" ||
		strings.Join(s.Config.Args, " ") != "mcp --catalog ${user_config.catalog}" || manifest.UserConfig["catalog"].Type != "file" {
		t.Errorf("%s", contents["manifest.json"])
	}
	r := &release{version: testVersion, origin: origin{testCommit, testDate()}}
	for system, want := range map[string]string{"windows": `"win32"`, "darwin": `"darwin"`} {
		text, err := r.manifest(platform{system, "arm64"})
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "svc.exe") != (system == "windows") {
			t.Errorf("%s: %s", system, text)
		}
	}
}

// The tool of the format accepts the manifest of every system, unpacks the bundle, and what
// it unpacks serves an agent.
func TestBundleIsRead(t *testing.T) {
	mcpb := tool(t, "mcpb", "@anthropic-ai/mcpb from npm")
	folder, files := readPublished(t)
	name, _ := only(t, files, ".mcpb")
	dir := t.TempDir()
	r := &release{version: testVersion, origin: origin{testCommit, testDate()}}
	validated := map[string]bool{} // what several systems have in common is validated once
	for _, p := range allPlatforms() {
		text, err := r.manifest(p)
		if err != nil {
			t.Fatal(err)
		}
		if validated[string(text)] {
			continue
		}
		validated[string(text)] = true
		file := filepath.Join(dir, "manifest.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := output(exec.Command(mcpb, "validate", file)); err != nil || strings.Contains(strings.ToLower(out), "warning") {
			t.Errorf("%s: %s, %v", p, out, err)
		}
	}
	unpacked := filepath.Join(dir, "unpacked")
	if out, err := output(exec.Command(mcpb, "unpack", filepath.Join(folder, name), unpacked)); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	if runtime.GOOS != "linux" {
		t.Log("the program is for Linux and cannot run here")
		return
	}
	program := filepath.Join(unpacked, "server", "svc")
	catalog := filepath.Join(dir, "catalog.json")
	if out, err := exec.Command(program, "compile", "../examples/observations", "--as-of", "2026-12-01", "-o", catalog).CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	// It is started as a client does that has read the manifest.
	var manifest struct {
		Server struct {
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	text, err := os.ReadFile(filepath.Join(unpacked, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	replaced := strings.NewReplacer("${__dirname}", unpacked, "${user_config.catalog}", catalog)
	var words []string
	for _, arg := range manifest.Server.Config.Args {
		words = append(words, replaced.Replace(arg))
	}
	c := exec.Command(replaced.Replace(manifest.Server.Config.Command), words...)
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"query":"atlas"}}}
`)
	if out, err := output(c); err != nil || !strings.Contains(out, "acme/atlas-70b") {
		t.Errorf("%s, %v", out, err)
	}
	// It packs the same files again, too. How many bytes the program has does not matter to
	// that, and it takes ten seconds to compress all.
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), executable); err != nil {
		t.Fatal(err)
	}
	if out, err := output(exec.Command(mcpb, "pack", unpacked, filepath.Join(dir, "again.mcpb"))); err != nil {
		t.Errorf("%s, %v", out, err)
	}
}
