package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testVersion = "v1.2.3-rc.1"
	testCommit  = "0123456789abcdef0123456789abcdef01234567"
	testEpoch   = 1793491200 // 2026-11-01
)

func testDate() time.Time { return time.Unix(testEpoch, 0).UTC() }

// published is a release of this tree for the machine's architecture under
// Linux, made once.
var published = sync.OnceValues(func() (folder string, err error) {
	return publishTo(filepath.Join(scratch, "published"), "..")
})

// tool returns the path of a program. Without it the test skips, but fails in CI, which has
// every tool.
func tool(t *testing.T, name, install string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is missing: install %s", name, install)
	default:
		t.Skipf("%s is missing: install %s", name, install)
	}
	return path
}

// scratch is a folder for all tests, which TestMain makes and removes.
var scratch string

// asProgram makes the test binary the program itself.
const asProgram = "SVC_RELEASE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "svc-release-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		scratch = folder
		return m.Run()
	}())
}

func publishTo(folder, source string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	c := exec.Command(program, "-version", testVersion, "-maintainer", testMaintainer, "-commit", testCommit, "-source", source,
		"-platforms", "linux/"+runtime.GOARCH, "-o", folder)
	c.Env = append(os.Environ(), asProgram+"=yes", keyVariable+"="+testKeyPEM(), "SOURCE_DATE_EPOCH="+strconv.Itoa(testEpoch))
	_, err = output(c)
	return folder, err
}

func readPublished(t *testing.T) (folder string, files map[string][]byte) {
	t.Helper()
	folder, err := published()
	if err != nil {
		t.Fatal(err)
	}
	return folder, readFolder(t, folder)
}

func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = text
	}
	return files
}

// only returns the file whose name ends so.
func only(t *testing.T, files map[string][]byte, suffix string) (name string, text []byte) {
	t.Helper()
	for n, b := range files {
		if strings.HasSuffix(n, suffix) {
			if name != "" {
				t.Fatalf("%s and %s", name, n)
			}
			name, text = n, b
		}
	}
	if name == "" {
		t.Fatalf("there is no file %s", suffix)
	}
	return name, text
}

// The folder that the sources are in, what was built before, and who makes the release
// how, change no byte of it.
func TestReproducible(t *testing.T) {
	_, want := readPublished(t)
	elsewhere := filepath.Join(scratch, "else where")
	files, err := output(exec.Command("git", "-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue // removed, or a folder
		}
		to := filepath.Join(elsewhere, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"GOCACHE": filepath.Join(scratch, "cache"), "TZ": "Pacific/Chatham", "LC_ALL": "C", "GOAMD64": "v3", "GOFLAGS": "-tags=nothing", "GOMAXPROCS": "3", "USER": "somebody",
	} {
		t.Setenv(name, value)
	}
	folder, err := publishTo(filepath.Join(scratch, "again"), elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	got := readFolder(t, folder)
	if len(got) != 12 || len(want) != 12 {
		t.Errorf("%d and %d files, want 12", len(want), len(got))
	}
	for name, text := range want {
		if !bytes.Equal(got[name], text) {
			t.Errorf("%s differs", name)
		}
	}
}

// The checksums are those that sha256sum takes, of all files but those that attest them.
func TestChecksums(t *testing.T) {
	_, files := readPublished(t)
	var want []string
	for name, text := range files {
		if name != checksums && !strings.HasSuffix(name, ".dsse.json") {
			want = append(want, hexSum(text)+"  "+name+"\n")
		}
	}
	slices.SortFunc(want, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	if got := string(files[checksums]); got != strings.Join(want, "") || len(want) == 0 {
		t.Errorf("got\n%swant\n%s", got, strings.Join(want, ""))
	}
}

// What is in the archive, and that the binary knows what it is.
func TestArchive(t *testing.T) {
	_, files := readPublished(t)
	name, text := only(t, files, ".tar.gz")
	folder := "svc_1.2.3-rc.1_linux_" + runtime.GOARCH
	if name != folder+".tar.gz" {
		t.Errorf("it is called %s", name)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !unzipped.ModTime.IsZero() || unzipped.Name != "" {
		t.Errorf("gzip tells of %v and %q", unzipped.ModTime, unzipped.Name)
	}
	contents := map[string][]byte{}
	var order []string
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		short, ok := strings.CutPrefix(h.Name, folder+"/")
		mode := int64(plain)
		if short == "svc" {
			mode = executable
		}
		if !ok || h.Mode != mode || h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(testDate()) || h.Typeflag != tar.TypeReg {
			t.Errorf("%+v", h)
		}
		order = append(order, h.Name)
		if contents[short], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.IsSorted(order) {
		t.Errorf("the order is %q", order)
	}
	wantContents(t, contents)
	wantVersion(t, contents["svc"])
}

func wantContents(t *testing.T, contents map[string][]byte) {
	t.Helper()
	for name, from := range map[string]string{
		"LICENSE": "LICENSE", "README.md": "README.md", "completions/svc.bash": "completions/svc.bash",
		"completions/_svc": "completions/_svc", "completions/svc.fish": "completions/svc.fish", "completions/svc.ps1": "completions/svc.ps1",
		"man/man1/svc.1": "docs/man/svc.1", "man/man1/svc-serve.1": "docs/man/svc-serve.1",
		"man/man5/svc-formats.5": "docs/man/svc-formats.5", "man/man7/svc-ranking.7": "docs/man/svc-ranking.7",
	} {
		want, err := os.ReadFile(filepath.Join("..", from))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(contents[name], want) {
			t.Errorf("%s is not %s", name, from)
		}
	}
	pages, err := filepath.Glob("../docs/man/*.?")
	if err != nil || len(contents) != 8+len(pages) { // svc, LICENSE, README.md, THIRD-PARTY-LICENSES, completions
		t.Errorf("%d files and %d pages, %v", len(contents), len(pages), err)
	}
	for _, want := range []string{"\nGo go1.", "\ngithub.com/spf13/cobra v1", "Redistributions in binary form", "Apache License"} {
		if !bytes.Contains(contents["THIRD-PARTY-LICENSES"], []byte(want)) {
			t.Errorf("the licences lack %q", want)
		}
	}
}

func wantVersion(t *testing.T, program []byte) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("the binary is for Linux and cannot run here")
		return
	}
	file := filepath.Join(t.TempDir(), "svc")
	if err := os.WriteFile(file, program, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := output(exec.Command(file, "version", "--output", "json"))
	want := `{"commit":"` + testCommit + `","date":"2026-11-01T00:00:00Z","go":"` + goVersion(t) + `","platform":"linux/` + runtime.GOARCH + `","version":"` + testVersion + `"}`
	if err != nil || got != want {
		t.Errorf("%v, it says %s, want %s", err, got, want)
	}
}

// goVersion is that of the command, which may be another than the test's.
func goVersion(t *testing.T) string {
	t.Helper()
	v, err := output(exec.Command("go", "env", "GOVERSION"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// On Windows people expect a zip.
func TestZip(t *testing.T) {
	r := &release{version: testVersion, origin: origin{testCommit, testDate()}, source: "..", maintainer: testMaintainer}
	with, err := r.readCompanions()
	if err != nil {
		t.Fatal(err)
	}
	b := &binary{platform{"windows", "arm64"}, []byte("MZ"), &debug.BuildInfo{}}
	name, text, err := r.archive(b, with, []byte("licences"))
	if err != nil || name != "svc_1.2.3-rc.1_windows_arm64.zip" {
		t.Fatalf("%s, %v", name, err)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := fs.Sub(z, "svc_1.2.3-rc.1_windows_arm64")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"svc.exe": "MZ", "THIRD-PARTY-LICENSES": "licences", "LICENSE": string(with.licence)} {
		if got, err := fs.ReadFile(folder, name); err != nil || string(got) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, f := range z.File {
		if !f.Modified.Equal(testDate()) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
		if isProgram := strings.HasSuffix(f.Name, ".exe"); (f.Mode() == executable) != isProgram || !isProgram && f.Mode() != plain {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	_, again, err := r.archive(b, with, []byte("licences"))
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("the archive differs when it is made again, %v", err)
	}
}

// What is there already is left alone, and what fails leaves nothing.
func TestOutput(t *testing.T) {
	folder := t.TempDir()
	r := &release{version: testVersion, source: folder, maintainer: testMaintainer} // without sources
	var progress strings.Builder
	if err := publish(t.Context(), r, allPlatforms(), folder, &progress); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("%v", err)
	}
	if err := publish(t.Context(), r, allPlatforms(), filepath.Join(folder, "dist"), &progress); err == nil {
		t.Error("a release without sources")
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

const testMaintainer = "Ada Example <ada@svc.example.org>"

func TestArguments(t *testing.T) {
	for _, args := range [][]string{
		{"-version", "v1.2.3"}, {"-version", "v1.2.3", "-maintainer", "Ada"}, {"-version", "v1.2.3", "-maintainer", "ada@example.org"},
		{"-version", "v1.2.3", "-maintainer", "Ada <ada@svc.invalid>"}, {"-version", "v1.2.3", "-maintainer", "Ada <ada@localhost>"},
		{}, {"-version", "1.2.3"}, {"-version", "v1.2"}, {"-version", "v1.02.3"}, {"-version", "v1.2.3+build"}, {"-version", "v1.2.3-"},
		{"-version", "v1.2.3-01"}, {"-version", "v1.2.3", "rest"}, {"-version", "v1.2.3", "-maintainer", testMaintainer, "-platforms", "plan9/amd64"}, {"-x"},
	} {
		var progress strings.Builder
		if err := run(t.Context(), args, &progress); err != errUsage || !strings.Contains(progress.String(), "Usage of release:") {
			t.Errorf("%q: %v, %s", args, err, &progress)
		}
	}
	for _, v := range []string{"v0.0.0", "v1.2.3", "v1.2.3-rc.1", "v1.2.3-0a", "v10.20.30-x-y"} {
		if _, err := parseVersion(v); err != nil {
			t.Error(err)
		}
	}
	if got := version(testVersion).debian(); got != "1.2.3~rc.1" {
		t.Errorf("for Debian it is %s", got)
	}
	if who, err := parseMaintainer(testMaintainer); err != nil || who != testMaintainer {
		t.Errorf("%q, %v", who, err)
	}
	targets, err := parsePlatforms("linux/arm64,linux/arm64")
	if err != nil || !slices.Equal(targets, []platform{{"linux", "arm64"}}) || len(allPlatforms()) != 6 {
		t.Errorf("%v, %v", targets, err)
	}
}

func TestOrigin(t *testing.T) {
	for _, c := range []struct{ commit, epoch string }{
		{"HEAD", "1793491200"}, {testCommit, ""}, {testCommit, "today"}, {testCommit, "-1"}, {testCommit, "99999999999"}, {testCommit, "0"},
	} {
		t.Setenv("SOURCE_DATE_EPOCH", c.epoch)
		if o, err := findOrigin(t.Context(), ".", c.commit); err == nil {
			t.Errorf("%v: %v", c, o)
		}
	}
	// A repository of our own: the date is that of the commit, unless it is given.
	folder := t.TempDir()
	shell := exec.Command("sh", "-ec", `git init -q && echo 1 > file && git add file && git commit -qm 1 && git rev-parse HEAD`)
	shell.Dir = folder
	shell.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE=1700000000 +0100",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@svc.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@svc.invalid")
	commit, err := output(shell)
	if err != nil {
		t.Fatal(err)
	}
	check := func(want origin) {
		t.Helper()
		if got, err := findOrigin(t.Context(), folder, ""); err != nil || got != want {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	check(origin{commit, time.Unix(1700000000, 0).UTC()})
	t.Setenv("SOURCE_DATE_EPOCH", "1793491200")
	check(origin{commit, testDate()})
	// Neither another file nor one more is what was committed.
	for _, name := range []string{"another", "file"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("2"), 0o600); err != nil {
			t.Fatal(err)
		}
		check(origin{commit + "-dirty", testDate()})
		if err := os.RemoveAll(filepath.Join(folder, "another")); err != nil {
			t.Fatal(err)
		}
	}
}

// Nothing that cannot be built again is released.
func TestReplacedModules(t *testing.T) {
	b := &binary{info: &debug.BuildInfo{Main: debug.Module{Path: module}}}
	if err := b.check(); err != nil {
		t.Error(err)
	}
	b.info.Deps = []*debug.Module{{Path: "example.org/a", Replace: &debug.Module{Path: "../a"}}}
	if err := b.check(); err == nil {
		t.Error("a module is replaced, and nobody says so")
	}
	b.info = &debug.BuildInfo{Main: debug.Module{Path: "example.org/fork"}}
	if err := b.check(); err == nil {
		t.Error("another module is released")
	}
}

// The list of what is in a binary is CycloneDX, by its schema, and names what the
// go command sees in the binary.
func TestBill(t *testing.T) {
	_, files := readPublished(t)
	_, text := only(t, files, ".cdx.json")
	if err := cycloneDX(t).Validate(decoded(t, text)); err != nil {
		t.Error(err)
	}
	var list struct {
		SerialNumber string
		Metadata     struct {
			Timestamp string
			Component struct {
				Version string
				Hashes  []struct{ Content string }
			}
		}
		Components []struct {
			Name, Version, PURL string
		}
		Dependencies []struct{ DependsOn []string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	_, archive := only(t, files, ".tar.gz")
	program := extract(t, archive, "/svc")
	if m := list.Metadata; m.Timestamp != "2026-11-01T00:00:00Z" || m.Component.Version != testVersion || m.Component.Hashes[0].Content != hexSum(program) {
		t.Errorf("%+v", m)
	}
	file := filepath.Join(t.TempDir(), "svc")
	if err := os.WriteFile(file, program, 0o600); err != nil {
		t.Fatal(err)
	}
	seen, err := output(exec.Command("go", "version", "-m", file))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"std " + strings.TrimPrefix(goVersion(t), "go")}
	for line := range strings.SplitSeq(seen, "\n") {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "dep" {
			want = append(want, words[1]+" "+words[2])
		}
	}
	var got []string
	for _, c := range list.Components {
		got = append(got, c.Name+" "+c.Version)
		if c.PURL != "pkg:golang/"+strings.ToLower(c.Name)+"@"+c.Version {
			t.Errorf("%s %s is %s", c.Name, c.Version, c.PURL)
		}
	}
	if !slices.Equal(got, want) || len(want) < 20 {
		t.Errorf("listed are %q, there are %q", got, want)
	}
	if n := len(list.Dependencies); n != len(want)+1 || len(list.Dependencies[n-1].DependsOn) != len(want) {
		t.Errorf("%d dependencies", n)
	}
}

// A serial number is a UUID, and that of the content.
func TestSerialNumber(t *testing.T) {
	r := &release{version: testVersion, origin: origin{testCommit, testDate()}, maintainer: testMaintainer}
	seen := map[string]bool{}
	for _, text := range []string{"a", "b", "a"} {
		list, err := r.bill(&binary{platform{"linux", "amd64"}, []byte(text), &debug.BuildInfo{GoVersion: "go1.26"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := cycloneDX(t).Validate(decoded(t, list)); err != nil {
			t.Error(err)
		}
		id := decoded(t, list).(map[string]any)["serialNumber"].(string)
		if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
			t.Errorf("%s is no UUID of version 8", id)
		}
		seen[id] = true
	}
	if len(seen) != 2 {
		t.Errorf("%v", seen)
	}
	if got := packageURL("github.com/Masterminds/x", "v1.0.0+incompatible"); got != "pkg:golang/github.com/masterminds/x@v1.0.0%2Bincompatible" {
		t.Error(got)
	}
}

// extract returns the file of a compressed tar whose name ends so.
func extract(t *testing.T, archive []byte, suffix string) []byte {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, suffix) {
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
}
