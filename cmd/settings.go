package cmd

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// settings is the configuration: what variables and the configuration file say,
// variables first. A zero member was not set.
type settings struct {
	Catalog string
	Output  string
	Color   string
	Log     struct{ Level, Format string }
	Admin   struct{ Addr string }

	file   settingsFile
	values map[string]settingValue // by key, of those that were set
}

// settingValue is what a setting is, and who said so.
type settingValue struct {
	value  string
	origin origin
	where  string // the option, the variable or the file
}

// origin is what kind of place a setting comes from.
type origin string

const (
	fromDefault  origin = "default"
	fromFile     origin = "file"
	fromVariable origin = "variable"
	fromOption   origin = "option"
)

// setting is a key of the configuration.
type setting struct {
	key      string
	about    string                    // what it is for
	rule     string                    // what a value must be
	fallback string                    // what it is if nobody says anything; empty if it depends
	ok       func(value string) bool   // reports whether it may have a value
	read     func(*cobra.Command) bool // reports whether a command reads it
}

func (s *setting) variable() string {
	return "SVC_" + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// allSettings are all keys that there are.
func allSettings() []setting {
	return []setting{
		{"catalog", "the catalog, in the place of --catalog", "must be the name of a file", "",
			func(v string) bool { return v != "" }, setsOption("catalog")},
		oneOf("output", "", "the format of results, in the place of --output; one that a command does not have is meant for others",
			setsOption("output"), outputAuto, outputJSON, outputTable, outputText),
		oneOf("color", colorAuto, "when to use colour, in the place of --color",
			setsOption("color"), colorAuto, colorAlways, colorNever),
		oneOf("log.level", "info", "what a server logs at least", isServer, "debug", "info", "warn", "error"),
		oneOf("log.format", "text", "how a server logs", isServer, "text", "json"),
		{"admin.addr", "the address of a second port of a server, for operators; there is none without it",
			"must be an address like 127.0.0.1:9090", "", isAddress, isServer},
	}
}

func oneOf(key, fallback, about string, read func(*cobra.Command) bool, words ...string) setting {
	return setting{key, about, "must be " + ijson.Alternatives(words), fallback,
		func(v string) bool { return slices.Contains(words, v) }, read}
}

func isAddress(v string) bool {
	_, port, err := net.SplitHostPort(v)
	n, ok := plainInteger(port)
	return err == nil && ok && n <= 65535
}

// loadSettings reads the file that SVC_CONFIG names, else svc/config.yaml in the
// user's configuration directory if there is one, and the variables SVC_*.
func loadSettings() (settings, error) {
	typed := settings{values: map[string]settingValue{}}
	var text []byte
	var err error
	if typed.file, text, err = readSettingsFile(); err != nil {
		return typed, err
	}
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(text)); err != nil {
		return typed, fileError(typed.file.name, err)
	}
	all := allSettings()
	for i := range all {
		found, err := all[i].find(v, typed.file.name)
		if err != nil {
			return typed, err
		}
		if found.origin != fromDefault {
			typed.values[all[i].key] = found
		}
	}
	return typed, v.UnmarshalExact(&typed)
}

// find judges the value of the file, then that of the variable, which from now
// on goes before it.
func (s *setting) find(v *viper.Viper, file string) (found settingValue, err error) {
	found = settingValue{s.fallback, fromDefault, ""}
	if slices.Contains(v.AllKeys(), s.key) {
		value, isText := v.Get(s.key).(string)
		if !isText {
			return found, fileError(file, fmt.Errorf("%s: %s", s.key, s.rule))
		}
		if !s.ok(value) {
			return found, fileError(file, fmt.Errorf("%s: %q %s", s.key, value, s.rule))
		}
		found = settingValue{value, fromFile, file}
	}
	name := s.variable()
	if value := os.Getenv(name); value != "" {
		if !s.ok(value) {
			return found, fmt.Errorf("%s: %s: %q %s", name, s.key, value, s.rule)
		}
		found = settingValue{value, fromVariable, name}
	}
	return found, v.BindEnv(s.key, name)
}

// apply gives settings to the options that were not on the command line. An
// output that a command does not have is meant for another.
func (s *settings) apply(options *pflag.FlagSet) {
	for name, value := range map[string]string{"catalog": s.Catalog, "output": s.Output, "color": s.Color} {
		if f := options.Lookup(name); f != nil && !f.Changed && value != "" {
			_ = f.Value.Set(value) // the values are right for one command or other
		}
	}
}
