package cmd

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// The page about the configuration has every key in its table, in its order, with
// the variable, the values, the default and the commands that read it.
func TestConfigurationPage(t *testing.T) {
	page := strings.ReplaceAll(readSource(t, "../docs/configuration.md"), "`", "")
	_, table, _ := strings.Cut(page, "| --- | --- | --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	all := config.Keys()
	if len(lines) != len(all) {
		t.Fatalf("the table has %d lines for %d keys", len(lines), len(all))
	}
	for i, k := range all {
		cells := strings.Split(strings.Trim(lines[i], "| "), " | ")
		want := []string{k.Name, k.Variable(), strings.TrimPrefix(k.Rule, "must be "), cmp.Or(k.Default, "none"), readersOf(k.Name)}
		if !slices.Equal(cells, want) {
			t.Errorf("the table says\n%q, want\n%q", cells, want)
		}
	}
}

// readersOf says which commands read a key: those that have its option, or by name.
func readersOf(key string) string {
	var readers, others []string // others have the option and do not read the key
	isOption := false
	for path, c := range runnable(Root()) {
		hasOption := c.Flags().Lookup(key) != nil
		isOption = isOption || hasOption
		switch {
		case readsKey(key)(c):
			readers = append(readers, path)
		case hasOption:
			others = append(others, path)
		}
	}
	slices.Sort(readers)
	slices.Sort(others)
	switch last := len(others) - 1; {
	case !isOption:
		return strings.Join(readers, ", ")
	case last < 0:
		return "every command with --" + key
	case last == 0:
		return "every command with --" + key + " but " + others[0]
	default:
		return "every command with --" + key + " but " + strings.Join(others[:last], ", ") + " and " + others[last]
	}
}

// What the page shows is what the command prints.
func TestConfigurationShown(t *testing.T) {
	const command = "$ SVC_CONFIG=examples/config.yaml SVC_LOG_LEVEL=debug svc config --color never\n"
	page := readSource(t, "../docs/configuration.md")
	for _, k := range config.Keys() {
		t.Setenv(k.Variable(), "")
	}
	t.Setenv("SVC_CONFIG", "examples/config.yaml")
	t.Setenv("SVC_LOG_LEVEL", "debug")
	t.Chdir("..")
	code, stdout, stderr := svc(nil, "config", "--color", "never")
	if code != exitDone || stderr != "" || !strings.Contains(page, "```console\n"+command+stdout+"```\n") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
}

// The default of the option --color is that of its key.
func TestColorDefault(t *testing.T) {
	for path, c := range runnable(Root()) {
		if f := c.Flags().Lookup("color"); f != nil && f.DefValue != console.ColorAuto {
			t.Errorf("svc %s --color is %s by default", path, f.DefValue)
		}
	}
}
