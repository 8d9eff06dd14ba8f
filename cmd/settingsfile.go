package cmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// settingsFile is where the configuration file is, or would be.
type settingsFile struct {
	name  string // empty if there can be none
	found bool
}

// findSettingsFile returns where the configuration file is to be, and whether
// the user has named it.
func findSettingsFile() (name string, named bool) {
	if name = os.Getenv("SVC_CONFIG"); name != "" {
		return name, true
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", false // no home, no file
	}
	return filepath.Join(folder, "svc", "config.yaml"), false
}

// readSettingsFile reads the configuration file, if there is one, and checks what
// stands in it but for the values.
func readSettingsFile() (file settingsFile, text []byte, err error) {
	name, named := findSettingsFile()
	if name == "" {
		return settingsFile{}, nil, nil
	}
	text, err = readSettingsText(name)
	if err != nil {
		isAbsent := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if !named && isAbsent {
			return settingsFile{name, false}, nil, nil
		}
		return file, nil, fileError(name, err)
	}
	if err := checkSettings(text); err != nil {
		return file, nil, fileError(name, err)
	}
	return settingsFile{name, true}, text, nil
}

// readSettingsText reads a file as far as a configuration may go: not every file
// that can be named has an end.
func readSettingsText(name string) ([]byte, error) {
	const most = 1 << 20
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("has more than %d bytes", most)
	}
	return text, err
}

// checkSettings demands one YAML document with keys of the settings, each once.
// Viper would read the first document alone, fold case, and take one of a key's
// two spellings.
func checkSettings(text []byte) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := d.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // nothing but comments
		}
		return err
	}
	if err := d.Decode(new(yaml.Node)); err == nil {
		return errors.New("must hold one YAML document")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return checkKeys(document.Content[0], "", map[string]bool{})
}

// checkKeys checks the keys of the document, or of one of its groups. A group
// without any may be empty, as is one whose keys are all commented out.
func checkKeys(node *yaml.Node, group string, seen map[string]bool) error {
	node = resolved(node)
	if node.ShortTag() == "!!null" {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		if group == "" {
			return errors.New("must hold keys and values in YAML")
		}
		return fmt.Errorf("%s: must hold %s", group, ijson.Alternatives(keysOf(group)))
	}
	for pair := range slices.Chunk(node.Content, 2) {
		key := resolved(pair[0]).Value
		if group != "" {
			key = group + "." + key
		}
		if seen[key] {
			return fmt.Errorf("%s: duplicate key", key)
		}
		seen[key] = true
		all := allSettings()
		at := slices.IndexFunc(all, func(s setting) bool { return s.key == key })
		switch {
		case at >= 0 && resolved(pair[1]).Kind != yaml.ScalarNode:
			return fmt.Errorf("%s: %s", key, all[at].rule)
		case at >= 0:
		case len(keysOf(key)) == 0:
			return fmt.Errorf("%s: unknown key", cmp.Or(key, `""`))
		default:
			if err := checkKeys(pair[1], key, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// keysOf returns the keys of a group, without its name.
func keysOf(group string) (keys []string) {
	for _, s := range allSettings() {
		if key, ok := strings.CutPrefix(s.key, group+"."); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// resolved returns what an alias stands for, else the node.
func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
