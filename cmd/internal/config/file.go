package config

import (
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

	"github.com/model-catalog-service/svc/cmd/internal/files"
	bounded "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// File is where the configuration file is, or would be.
type File struct {
	Name  record.Text `json:"name"` // empty if there can be none
	Found bool        `json:"found"`
}

// maxFile is the most bytes of a configuration file.
const maxFile = 1 << 20

// read finds the file and returns its text if it is there and right.
func (f *File) read() (string, error) {
	name := os.Getenv("SVC_CONFIG")
	isNamed := name != ""
	if !isNamed {
		folder, err := os.UserConfigDir()
		if err != nil {
			return "", nil // no home, no file
		}
		name = filepath.Join(folder, "svc", "config.yaml")
	}
	f.Name = record.Text(name)
	text, err := bounded.Read(name, maxFile)
	switch isAbsent := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR); {
	case name == os.DevNull: // nothing
		text, err = "", nil
	case isAbsent && !isNamed:
		return "", nil
	}
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return "", files.Named(name, err)
	}
	f.Found = true
	return text, nil
}

// check demands one YAML document with keys of the configuration, each once, and
// values that are allowed. Viper would read the first document alone, fold case, and
// take one of a key's two spellings.
func check(text string) error {
	d := yaml.NewDecoder(strings.NewReader(text))
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
	return checkGroup(document.Content[0], "", map[string]bool{})
}

// checkGroup checks the document, or one of its groups. A group may be empty, as is
// one whose keys are all commented out.
func checkGroup(node *yaml.Node, group string, seen map[string]bool) error {
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
		name := resolved(pair[0]).Value
		if group != "" {
			name = group + "." + name
		}
		if seen[name] {
			return fmt.Errorf("%s: duplicate key", name)
		}
		seen[name] = true
		if err := checkValue(resolved(pair[1]), name, seen); err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks the value of a key, or what is below a group.
func checkValue(node *yaml.Node, name string, seen map[string]bool) error {
	for _, k := range Keys() {
		switch {
		case k.Name != name:
		case node.Kind != yaml.ScalarNode || node.ShortTag() != k.tag():
			return fmt.Errorf("%s: %s", name, k.Rule)
		case !k.allowed(node.Value):
			return fmt.Errorf("%s: %s", name, k.refuse(node.Value))
		default:
			return nil
		}
	}
	if len(keysOf(name)) == 0 {
		return fmt.Errorf("%s: unknown key%s", cmp.Or(name, `""`), offer(name))
	}
	return checkGroup(node, name, seen)
}

// tag is the kind of a value in YAML.
func (k *Key) tag() string {
	return "!!" + cmp.Or(k.kind, "str")
}

// offer is the question whether the key was meant that is closest to a name, with what
// comes before it in a message.
func offer(name string) string {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	if question := spelling.DidYouMean(name, names); question != "" {
		return ", " + question
	}
	return ""
}

// keysOf returns the keys of a group, without its name.
func keysOf(group string) (keys []string) {
	for _, k := range Keys() {
		if key, ok := strings.CutPrefix(k.Name, group+"."); ok {
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
