package cmd

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The page about the configuration has every key in its table, in its order, with
// the variable, the values, the default and the commands that read it.
func TestConfigurationPage(t *testing.T) {
	page := strings.ReplaceAll(readSource(t, "../docs/configuration.md"), "`", "")
	_, table, _ := strings.Cut(page, "| --- | --- | --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	all := allSettings()
	if len(lines) != len(all) {
		t.Fatalf("the table has %d lines for %d keys", len(lines), len(all))
	}
	for i, s := range all {
		cells := strings.Split(strings.Trim(lines[i], "| "), " | ")
		var readers []string
		for path, c := range runnable(Root()) {
			if s.read(c) {
				readers = append(readers, path)
			}
		}
		slices.Sort(readers)
		want := []string{s.key, s.variable(), strings.TrimPrefix(s.rule, "must be "), cmp.Or(s.fallback, "none"), strings.Join(readers, ", ")}
		if !slices.Equal(cells, want) {
			t.Errorf("the table says\n%q, want\n%q", cells, want)
		}
	}
}

// What the page shows is what the command prints.
func TestConfigurationShown(t *testing.T) {
	const command = "$ SVC_CONFIG=examples/config.yaml SVC_LOG_LEVEL=debug svc config --color never\n"
	page := readSource(t, "../docs/configuration.md")
	for _, s := range allSettings() {
		t.Setenv(s.variable(), "")
	}
	t.Setenv("SVC_CONFIG", "examples/config.yaml")
	t.Setenv("SVC_LOG_LEVEL", "debug")
	t.Chdir("..")
	code, stdout, stderr := svc(nil, "config", "--color", "never")
	if code != exitDone || stderr != "" || !strings.Contains(page, "```console\n"+command+stdout+"```\n") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
}

// The example is one that svc takes, and has every key.
func TestConfigurationExample(t *testing.T) {
	for _, s := range allSettings() {
		t.Setenv(s.variable(), "")
	}
	t.Setenv("SVC_CONFIG", "../examples/config.yaml")
	got, err := loadSettings()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range allSettings() {
		switch v := got.values[s.key]; {
		case v.origin != fromFile:
			t.Errorf("it has no %s", s.key)
		case s.fallback != "" && v.value != s.fallback:
			t.Errorf("%s is %s, which is not the default", s.key, v.value)
		}
	}
	if !got.file.found || got.Catalog != "catalog.json" || got.Admin.Addr != "127.0.0.1:9090" || got.Log.Level != "info" {
		t.Errorf("%+v", got)
	}
}

// Defaults that are told are those that are in force where nobody says anything.
func TestDefaults(t *testing.T) {
	var log strings.Builder
	p := &program{stderr: &log, color: colorAuto}
	for _, s := range allSettings() {
		var got string
		switch s.key {
		case "color":
			got = colorAuto
			for _, c := range runnable(Root()) {
				if f := c.Flags().Lookup("color"); f != nil && f.DefValue != s.fallback {
					t.Errorf("svc %s --color is %s by default", c.Name(), f.DefValue)
				}
			}
		case "log.level":
			got = "info"
			l := p.newLogger()
			if !l.Enabled(t.Context(), 0) || l.Enabled(t.Context(), -1) {
				t.Error("a log does not begin at info")
			}
		case "log.format":
			p.newLogger().Info("hello")
			if !json.Valid([]byte(log.String())) && strings.Contains(log.String(), "msg=hello") {
				got = "text"
			}
		}
		if got != s.fallback {
			t.Errorf("%s is %q by default, %q is told", s.key, got, s.fallback)
		}
	}
}
