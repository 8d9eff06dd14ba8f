package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sassoftware/go-rpmutils"
)

// systemPlaces are files that every package has, and what they are in the
// sources. Manual pages are compressed.
var systemPlaces = map[string]string{
	"/usr/bin/svc": "",
	"/usr/share/bash-completion/completions/svc":       "completions/svc.bash",
	"/usr/share/fish/vendor_completions.d/svc.fish":    "completions/svc.fish",
	"/usr/share/man/man1/svc.1.gz":                     "",
	"/usr/share/man/man1/svc-verify-serve.1.gz":        "",
	"/usr/lib/systemd/system/svc-serve.service":        "packaging/systemd/svc-serve.service",
	"/usr/lib/systemd/system/svc-serve.socket":         "packaging/systemd/svc-serve.socket",
	"/usr/lib/systemd/system/svc-verify-serve.service": "packaging/systemd/svc-verify-serve.service",
	"/etc/svc/serve.env":                               "packaging/systemd/serve.env",
	"/etc/svc/verify-serve.env":                        "packaging/systemd/verify-serve.env",
}

// modeOf is what a file of a package may do.
func modeOf(name string) int {
	switch name {
	case "/usr/bin/svc":
		return executable
	case "/etc/svc/verify-serve.env":
		return secret
	}
	return plain
}

// allowed are the folders that a package may write to.
var allowed = regexp.MustCompile(`^/(usr/bin/svc|usr/lib/systemd/system/svc-[a-z-]+\.(service|socket)|etc/svc/[a-z-]+\.env|usr/share/(man/man(1/svc[a-z-]*\.1|5/svc-[a-z-]+\.5|7/svc-[a-z-]+\.7)\.gz|doc/svc/[A-Za-z.-]+|licenses/svc/[A-Z-]+|bash-completion/completions/svc|fish/vendor_completions\.d/svc\.fish|zsh/(vendor-completions|site-functions)/_svc))$`)

func wantPlaces(t *testing.T, contents map[string][]byte, own map[string]string) {
	t.Helper()
	for _, places := range []map[string]string{systemPlaces, own} {
		for name, from := range places {
			text, ok := contents[name]
			if !ok || len(text) == 0 {
				t.Errorf("there is no %s", name)
			}
			if from == "" {
				continue
			}
			want, err := os.ReadFile(filepath.Join("..", from))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, want) {
				t.Errorf("%s is not %s", name, from)
			}
		}
	}
	pages, err := filepath.Glob("../docs/man/*.?")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%q, %v", pages, err)
	}
	for _, page := range pages {
		if contents["/usr/share/man/man"+page[len(page)-1:]+"/"+filepath.Base(page)+".gz"] == nil {
			t.Errorf("there is no %s", page)
		}
	}
	for name := range contents {
		if !allowed.MatchString(name) {
			t.Errorf("%s has no place in a package", name)
		}
	}
}

func TestDeb(t *testing.T) {
	dpkg := tool(t, "dpkg-deb", "dpkg")
	folder, files := readPublished(t)
	name, _ := only(t, files, ".deb")
	if name != "svc_1.2.3~rc.1_"+runtime.GOARCH+".deb" {
		t.Errorf("it is called %s", name)
	}
	root, control := t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"--extract", root}, {"--control", control}} {
		if _, err := output(exec.Command(dpkg, args[0], filepath.Join(folder, name), args[1])); err != nil {
			t.Fatal(err)
		}
	}
	contents := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		place := strings.TrimPrefix(path, root)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if int(info.Mode()) != modeOf(place) || !info.ModTime().Equal(testDate()) {
			t.Errorf("%s: %v, %v", place, info.Mode(), info.ModTime())
		}
		contents[place], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPlaces(t, contents, map[string]string{
		"/usr/share/zsh/vendor-completions/_svc": "completions/_svc",
		"/usr/share/doc/svc/copyright":           "", "/usr/share/doc/svc/changelog.gz": "", "/usr/share/doc/svc/third-party-licenses.gz": "",
	})
	about := readFolder(t, control)
	if got := string(about["conffiles"]); strings.TrimSpace(got) != "/etc/svc/serve.env\n/etc/svc/verify-serve.env" {
		t.Errorf("conffiles are %q", got)
	}
	for _, want := range []string{"Version: 1.2.3~rc.1\n", "Architecture: " + runtime.GOARCH + "\n", "Recommends: ca-certificates\n", "Conflicts: daemontools, daemontools-encore\n", "Maintainer: " + testMaintainer + "\n", "Description: Rank "} {
		if !strings.Contains(string(about["control"]), want) {
			t.Errorf("control lacks %q", want)
		}
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		want, err := os.ReadFile(filepath.Join("../packaging/deb", script))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(about[script], want) {
			t.Errorf("%s is another", script)
		}
	}
}

func TestRPM(t *testing.T) {
	_, files := readPublished(t)
	name, text := only(t, files, ".rpm")
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if name != "svc-1.2.3~rc.1-1."+arch+".rpm" {
		t.Errorf("it is called %s", name)
	}
	pack, err := rpmutils.ReadRpm(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[int]string{
		rpmutils.NAME: "svc", rpmutils.VERSION: "1.2.3~rc.1", rpmutils.RELEASE: "1", rpmutils.ARCH: arch,
		rpmutils.LICENSE: "Apache-2.0", rpmutils.SUMMARY: summary, rpmutils.BUILDHOST: "localhost",
	} {
		if got, err := pack.Header.GetString(tag); err != nil || got != want {
			t.Errorf("tag %d is %q, %v, want %q", tag, got, err, want)
		}
	}
	for tag, script := range map[int]string{rpmutils.POSTIN: "post", rpmutils.PREUN: "preun", rpmutils.POSTUN: "postun"} {
		want, err := os.ReadFile(filepath.Join("../packaging/rpm", script))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pack.Header.GetString(tag); err != nil || strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
			t.Errorf("%s is %q, %v", script, got, err)
		}
	}
	infos, err := pack.Header.GetFiles()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	const config, doc, noReplace, license = 1, 2, 16, 128 // RPMFILE_...
	for _, f := range infos {
		want := 0
		switch {
		case strings.HasPrefix(f.Name(), "/etc/svc/"):
			want = config | noReplace
		case strings.HasPrefix(f.Name(), "/usr/share/doc/svc/"):
			want = doc
		case strings.HasPrefix(f.Name(), "/usr/share/licenses/svc/"):
			want = license
		}
		if f.Mode()&0o170000 == 0o100000 && (f.Flags() != want || f.Mode()&0o7777 != modeOf(f.Name())) {
			t.Errorf("%s has mode %o and flags %d, want %o and %d", f.Name(), f.Mode(), f.Flags(), modeOf(f.Name()), want)
		}
		if f.Mode()&0o170000 == 0o040000 {
			folders = append(folders, f.Name())
		}
		if f.UserName() != "root" || f.GroupName() != "root" {
			t.Errorf("%s belongs to %s:%s", f.Name(), f.UserName(), f.GroupName())
		}
	}
	if want := []string{"/etc/svc", "/usr/share/doc/svc", "/usr/share/licenses/svc"}; !slices.Equal(folders, want) {
		t.Errorf("folders of the package are %q, want %q: those of others are theirs", folders, want)
	}
	payload, err := pack.PayloadReaderExtended()
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{}
	for {
		f, err := payload.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Mode()&0o170000 != 0o100000 {
			continue
		}
		if contents[f.Name()], err = io.ReadAll(payload); err != nil {
			t.Fatal(err)
		}
	}
	wantPlaces(t, contents, map[string]string{
		"/usr/share/zsh/site-functions/_svc": "completions/_svc", "/usr/share/doc/svc/README.md": "README.md",
		"/usr/share/licenses/svc/LICENSE": "LICENSE", "/usr/share/licenses/svc/THIRD-PARTY-LICENSES": "",
	})
}

// Scripts of packages are for any shell, and start or enable nothing.
func TestPackageScripts(t *testing.T) {
	scripts, err := filepath.Glob("../packaging/*/p*")
	if err != nil || len(scripts) != 6 {
		t.Fatalf("%q, %v", scripts, err)
	}
	for _, script := range scripts {
		if _, err := output(exec.Command("sh", "-n", script)); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`systemctl.* (start|enable|restart|preset)\b`).Find(text); m != nil {
			t.Errorf("%s does %q", script, m)
		}
	}
}

// What the scripts tell systemd, where it runs and where it does not: an update
// restarts what runs and stops nothing, a removal stops and disables everything.
func TestPackageScriptsTellSystemd(t *testing.T) {
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	fake := "#!/bin/sh\necho \"$*\" >>'" + log + "'\nexit 1\n" // which is no reason for a package to fail
	if err := os.WriteFile(filepath.Join(folder, "systemctl"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	const (
		reload  = "daemon-reload\n"
		restart = "try-restart svc-serve.service svc-verify-serve.service\n"
		all     = "svc-serve.socket svc-serve.service svc-verify-serve.service\n"
		disable = "--no-reload disable " + all
		stop    = "stop " + all
	)
	for call, want := range map[string]struct{ booted, otherwise string }{
		"deb/postinst configure":       {reload, ""},
		"deb/postinst configure 1.0.0": {reload + restart, ""},
		"deb/postinst abort-upgrade 1": {"", ""},
		"deb/prerm upgrade 1.0.1":      {"", ""},
		"deb/prerm remove":             {disable + stop, disable},
		"deb/postrm remove":            {reload, ""},
		"deb/postrm purge":             {reload, ""},
		"rpm/post 1":                   {reload, ""},
		"rpm/post 2":                   {reload + restart, ""},
		"rpm/preun 1":                  {"", ""},
		"rpm/preun 0":                  {disable + stop, disable},
		"rpm/postun 0":                 {reload, ""},
	} {
		words := strings.Fields(call)
		text, err := os.ReadFile(filepath.Join("../packaging", words[0]))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("-d /run/systemd/system ]")) {
			t.Errorf("%s does not ask whether systemd runs", call)
		}
		for _, c := range []struct{ place, want string }{{folder, want.booted}, {filepath.Join(folder, "absent"), want.otherwise}} {
			if err := os.WriteFile(log, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			sh := exec.Command("sh", append([]string{"-ec", strings.ReplaceAll(string(text), "/run/systemd/system", c.place), words[0]}, words[1:]...)...)
			sh.Env = []string{"PATH=" + folder}
			if said, err := sh.CombinedOutput(); err != nil || len(said) > 0 {
				t.Errorf("%s: %v, %s", call, err, said)
			}
			if got, err := os.ReadFile(log); err != nil || string(got) != c.want {
				t.Errorf("%s in %s: systemctl was told %q, %v, want %q", call, c.place, got, err, c.want)
			}
		}
	}
}
