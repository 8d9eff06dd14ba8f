package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unitFiles returns the units by name.
func unitFiles(t *testing.T) map[string][]byte {
	t.Helper()
	units := readFolder(t, "../packaging/systemd")
	for name := range units {
		if strings.HasSuffix(name, ".env") {
			delete(units, name)
		}
	}
	if len(units) != 3 {
		t.Fatalf("there are %d units", len(units))
	}
	return units
}

func systemdAnalyze(t *testing.T) string {
	t.Helper()
	program := tool(t, "systemd-analyze", "systemd")
	return program
}

// systemd finds nothing wrong with the units. It wants a program to be where a
// unit says, so it is shown one.
func TestUnits(t *testing.T) {
	analyze := systemdAnalyze(t)
	folder := t.TempDir()
	program := filepath.Join(folder, "svc")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	args := []string{"verify", "--man=no"}
	for name, text := range unitFiles(t) {
		text = bytes.ReplaceAll(text, []byte("/usr/bin/svc "), []byte(program+" "))
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	said, err := exec.Command(analyze, args...).CombinedOutput()
	if about := regexp.MustCompile(`(?m)^.*svc-.*$`).FindAll(said, -1); err != nil || len(about) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
}

// The services are shut off from all that they do not need. systemd's own score
// goes from 0 to 10 and is taken times ten here; what is left is the network,
// and the files of the system to read.
func TestHardened(t *testing.T) {
	analyze := systemdAnalyze(t)
	for name := range unitFiles(t) {
		if !strings.HasSuffix(name, ".service") {
			continue
		}
		said, err := exec.Command(analyze, "security", "--offline=true", "--threshold=13", "--no-pager", filepath.Join("../packaging/systemd", name)).CombinedOutput()
		if err != nil || !bytes.Contains(said, []byte("Overall exposure level for "+name)) {
			t.Errorf("%v\n%s", err, said)
		}
	}
}

// wantInUse are the MiB that the formula of docs/operations.md gives for connections and
// ranks, without the catalog or the answers of a store.
var wantInUse = map[string]int{"svc-serve.service": 644, "svc-verify-serve.service": 644}

// What the score does not see.
func TestUnitSettings(t *testing.T) {
	for name, lines := range map[string][]string{
		"svc-serve.service": {
			"Type=notify", "DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=", "MemoryDenyWriteExecute=yes",
			"Requires=svc-serve.socket", "EnvironmentFile=/etc/svc/serve.env", "Restart=on-failure", "RestartPreventExitStatus=2",
			"ExecStart=/usr/bin/svc serve --catalog ${CATALOG} $OPTIONS",
		},
		"svc-serve.socket": {"ListenStream=127.0.0.1:4244", "WantedBy=sockets.target"},
		"svc-verify-serve.service": {
			"Type=notify", "DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=", "MemoryDenyWriteExecute=yes",
			"StateDirectory=svc-verify", "LoadCredential=signing-key:/etc/svc/signing-key.pem", "EnvironmentFile=/etc/svc/verify-serve.env",
			"Restart=on-failure", "RestartPreventExitStatus=2", "RestartSec=5",
		},
	} {
		unit := strings.Split(string(unitFiles(t)[name]), "\n")
		for _, line := range lines {
			if !slices.Contains(unit, line) {
				t.Errorf("%s lacks %s", name, line)
			}
		}
		// A third more than the program may use is left for the buffers of the system.
		var inUse, whole int
		for _, line := range unit {
			_, _ = fmt.Sscanf(line, "Environment=GOMEMLIMIT=%dMiB", &inUse)
			_, _ = fmt.Sscanf(line, "MemoryMax=%dG", &whole)
		}
		if strings.HasSuffix(name, ".service") && (inUse < wantInUse[name] || whole<<10 < inUse*4/3) {
			t.Errorf("%s lets %d MiB be used, %d at least, and limits the whole to %d GiB", name, inUse, wantInUse[name], whole)
		}
		// A service is given longer to stop than it takes.
		if strings.HasSuffix(name, ".service") && !slices.Contains(unit, "TimeoutStopSec=20") {
			t.Errorf("%s: the time to stop is another", name)
		}
		// A crash is no wrong option; no core is kept of what may hold a key.
		for _, line := range []string{"Environment=GOTRACEBACK=crash", "LimitCORE=0"} {
			if slices.Contains(unit, "RestartPreventExitStatus=2") && !slices.Contains(unit, line) {
				t.Errorf("%s lacks %s: nothing would start again what crashed", name, line)
			}
		}
	}
	// Each variable that a service names is set in its file.
	for name, unit := range unitFiles(t) {
		for _, m := range regexp.MustCompile(`\$\{?([A-Z_]+)`).FindAllStringSubmatch(string(unit), -1) {
			if m[1] == "CREDENTIALS_DIRECTORY" { // systemd sets it
				continue
			}
			file := strings.TrimSuffix(strings.TrimPrefix(name, "svc-"), ".service") + ".env"
			text, err := os.ReadFile(filepath.Join("../packaging/systemd", file))
			if err != nil || !regexp.MustCompile(`(?m)^`+m[1]+`=`).Match(text) {
				t.Errorf("%s: %s is not in %s, %v", name, m[1], file, err)
			}
		}
	}
}
