package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // writes packages for Debian
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // and for RPM
)

const (
	homepage = "https://" + module
	summary  = "Rank the models you can launch, on evidence"
	story    = summary + `
svc compiles what was observed of models into a catalog, ranks candidates
against it and serves both over HTTP. The same inputs give the same bytes
everywhere, and each number names its evidence.`
)

// packageFormat is what packages for one family of systems have of their own.
type packageFormat struct {
	name    string // as its library calls it
	scripts nfpm.Scripts
	license string // where the format has a field for it
	zsh     string // the folder for completions of zsh
	own     []packagedFile
}

// packagedFile is a file with its place in a system.
type packagedFile struct {
	file
	kind string // of the package's library; empty for a plain file
}

// packages returns the packages for a Linux binary.
func (r *release) packages(b *binary, with companions, licences []byte) (made []file, err error) {
	common, err := r.systemFiles(b, with)
	if err != nil {
		return nil, err
	}
	formats := []packageFormat{r.debian(licences), r.rpm(with, licences)}
	for _, format := range formats {
		all := append([]packagedFile{{file: file{format.zsh + "/_svc", plain, with.completions["_svc"]}}}, format.own...)
		one, err := r.packed(b, format, append(all, common...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", format.name, err)
		}
		made = append(made, one)
	}
	return made, nil
}

// systemFiles are the files of every package.
func (r *release) systemFiles(b *binary, with companions) (all []packagedFile, err error) {
	add := func(name string, mode os.FileMode, text []byte, kind string) {
		all = append(all, packagedFile{file{name, mode, text}, kind})
	}
	add("/usr/bin/svc", executable, b.text, "")
	add("/usr/share/bash-completion/completions/svc", plain, with.completions["svc.bash"], "")
	add("/usr/share/fish/vendor_completions.d/svc.fish", plain, with.completions["svc.fish"], "")
	for _, page := range with.manuals {
		add("/usr/share/man/"+page.name+".gz", plain, compress(page.text), "")
	}
	const units, settings = "/usr/lib/systemd/system/", "/etc/svc/"
	for _, f := range []struct {
		folder, name string
		mode         os.FileMode
	}{
		{units, "svc-serve.service", plain},
		{units, "svc-serve.socket", plain},
		{units, "svc-verify-serve.service", plain},
		{settings, "serve.env", plain},
		{settings, "verify-serve.env", secret},
	} {
		text, err := os.ReadFile(filepath.Join(r.source, "packaging", "systemd", f.name))
		if err != nil {
			return nil, err
		}
		kind := ""
		if f.folder == settings { // what an administrator has written there stays
			kind = nfpmfiles.TypeConfigNoReplace
		}
		add(f.folder+f.name, f.mode, text, kind)
	}
	return all, nil
}

// debian is the format of Debian and its relatives.
func (r *release) debian(licences []byte) packageFormat {
	script := func(name string) string { return filepath.Join(r.source, "packaging", "deb", name) }
	copyright := fmt.Sprintf(`Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: svc
Source: %s

Files: *
Copyright: 2026 The svc authors
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
 The licences of the modules that the program contains are in
 /usr/share/doc/svc/third-party-licenses.gz.
`, homepage)
	changelog := fmt.Sprintf("svc (%s) unstable; urgency=medium\n\n  * This version; see %s.\n\n -- %s  %s\n",
		r.version.debian(), homepage, r.maintainer, r.origin.date.Format(time.RFC1123Z))
	return packageFormat{
		name: "deb",
		zsh:  "/usr/share/zsh/vendor-completions",
		scripts: nfpm.Scripts{
			PostInstall: script("postinst"), PreRemove: script("prerm"), PostRemove: script("postrm"),
		},
		own: []packagedFile{
			{file: file{"/usr/share/doc/svc/copyright", plain, []byte(copyright)}},
			{file: file{"/usr/share/doc/svc/changelog.gz", plain, compress([]byte(changelog))}},
			{file: file{"/usr/share/doc/svc/third-party-licenses.gz", plain, compress(licences)}},
		},
	}
}

// rpm is the format of Fedora and its relatives.
func (r *release) rpm(with companions, licences []byte) packageFormat {
	script := func(name string) string { return filepath.Join(r.source, "packaging", "rpm", name) }
	return packageFormat{
		name:    "rpm",
		license: "Apache-2.0",
		zsh:     "/usr/share/zsh/site-functions",
		scripts: nfpm.Scripts{
			PostInstall: script("post"), PreRemove: script("preun"), PostRemove: script("postun"),
		},
		own: []packagedFile{
			{file{"/etc/svc", executable, nil}, nfpmfiles.TypeDir}, // Debian's tool sees to folders itself
			{file{"/usr/share/doc/svc", executable, nil}, nfpmfiles.TypeDir},
			{file{"/usr/share/licenses/svc", executable, nil}, nfpmfiles.TypeDir},
			{file{"/usr/share/licenses/svc/LICENSE", plain, with.licence}, nfpmfiles.TypeRPMLicense},
			{file{"/usr/share/licenses/svc/THIRD-PARTY-LICENSES", plain, licences}, nfpmfiles.TypeRPMLicense},
			{file{"/usr/share/doc/svc/README.md", plain, with.readme}, nfpmfiles.TypeRPMDoc},
		},
	}
}

// namesakes are the packages that have a /usr/bin/svc of their own: daemontools, and what
// was made of it.
var namesakes = []string{"daemontools", "daemontools-encore"}

// packed returns a package of files.
func (r *release) packed(b *binary, format packageFormat, all []packagedFile) (file, error) {
	packager, err := nfpm.Get(format.name)
	if err != nil {
		return file{}, err
	}
	staging, err := os.MkdirTemp("", "svc-package-")
	if err != nil {
		return file{}, err
	}
	defer os.RemoveAll(staging)
	info := nfpm.WithDefaults(&nfpm.Info{
		Name:            "svc",
		Arch:            b.platform.arch,
		Platform:        "linux",
		Version:         r.version.number(),
		Section:         "misc",
		Priority:        "optional",
		Maintainer:      r.maintainer,
		Description:     story,
		Homepage:        homepage,
		License:         format.license,
		MTime:           r.origin.date,
		DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Scripts:    format.scripts,
			Recommends: []string{"ca-certificates"}, // for what fetches sources
			Conflicts:  namesakes,
			Deb:        nfpm.Deb{Compression: "gzip"},
			RPM:        nfpm.RPM{Summary: summary, BuildHost: "localhost", Compression: "gzip", Packager: r.maintainer},
		},
	})
	for i, f := range all {
		source := ""
		if f.kind != nfpmfiles.TypeDir {
			source = filepath.Join(staging, fmt.Sprint(i))
			if err := os.WriteFile(source, f.text, plain); err != nil {
				return file{}, err
			}
		}
		info.Contents = append(info.Contents, &nfpmfiles.Content{
			Source: source, Destination: f.name, Type: f.kind,
			FileInfo: &nfpmfiles.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode},
		})
	}
	var text bytes.Buffer
	if err := packager.Package(info, &text); err != nil {
		return file{}, err
	}
	return file{name: packager.ConventionalFileName(info), text: text.Bytes()}, nil
}
