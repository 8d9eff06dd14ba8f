// Package config reads the configuration.
//
// An option of the command line wins over a variable, a variable over the
// configuration file, and the file over the default. Viper finds the values. What it
// would let pass is refused here, before it reads anything: a key of the file that is
// unknown, in another case or there twice, and a value, wherever it comes from, that is
// not allowed. So a typo never falls back to a default.
package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/internal/verify/asker"
	"github.com/model-catalog-service/svc/service/record"
)

// Config is the configuration that is in force.
type Config struct {
	Catalog, Output, Color string
	Log                    struct{ Level, Format string }
	Admin                  Admin
	Serve                  struct {
		Server `mapstructure:",squash"`
		Follow string
		Page   bool
	}
	Trust       Trust
	Registry    struct{ CA string }
	VerifyServe struct {
		Server        `mapstructure:",squash"`
		Origin        string
		MaxAge        int    `mapstructure:"max-age"` // seconds
		SignerCommand string `mapstructure:"signer-command"`
	} `mapstructure:"verify-serve"`

	command  string
	document Document
}

// Server are the settings of one server. Its command takes host and port by its options.
type Server struct {
	Host, Port string
	Admin      Admin
}

// Trust is whom to believe about catalogs of which no recipe says it.
type Trust struct {
	Key, Endpoint string
	MaxAge        string `mapstructure:"max-age"`
}

// Admin is the second port of a server, for operators.
type Admin struct{ Addr string }

// Document is the configuration as "svc config" prints it.
type Document struct {
	File     File      `json:"file"`
	Settings []Setting `json:"settings"`
}

// Setting is the value of a key, and where it comes from.
type Setting struct {
	Key    string      `json:"key"`
	Value  record.Text `json:"value"` // empty if it depends
	Origin Origin      `json:"origin"`
	Where  record.Text `json:"where"` // the option, the variable or the file; empty for a default
}

// Origin is what kind of place a value comes from.
type Origin string

// The origins, the weakest first.
const (
	FromDefault  Origin = "default"
	FromFile     Origin = "file"
	FromVariable Origin = "variable"
	FromOption   Origin = "option"
)

// Key is a key of the configuration. An option of that name stands for it, or of the rest of
// the name after that of its command: serve.port is --port of svc serve.
type Key struct {
	Name    string
	About   string // what it is for
	Rule    string // what a value must be
	Default string // empty if that depends
	allowed func(value string) bool
	words   []string // of a choice
	kind    string   // of the value in YAML; "" for a text
}

// option is the option of a command that stands for the key.
func (k *Key) option(command string) string { return strings.TrimPrefix(k.Name, command+".") }

// refuse says what is wrong with a value that is not allowed.
func (k *Key) refuse(value string) string {
	text := fmt.Sprintf("%q %s", value, k.Rule)
	if question := spelling.DidYouMean(value, k.words); question != "" {
		text += ", " + question
	}
	return text
}

// Variable is the name of the variable that stands for the key.
func (k Key) Variable() string {
	return "SVC_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(k.Name))
}

// Keys are all keys that there are.
func Keys() []Key {
	return []Key{
		{Name: "catalog", About: "the catalog, in place of --catalog", Rule: "must be the name of a file",
			allowed: isNotEmpty},
		choice("output", "", "the format of results, in place of --output; commands that lack this format ignore it",
			"auto", "json", "table", "text"),
		choice("color", console.ColorAuto, "when to use colour, in place of --color",
			console.ColorAuto, console.ColorAlways, console.ColorNever),
		choice("log.level", "info", "the least level that a server logs", "debug", "info", "warn", "error"),
		choice("log.format", "text", "how a server logs", "text", "json"),
		addressKey("admin.addr", "the address of a second port of a server, for operators; without it there is none"),
		hostKey("serve"),
		portKey("serve", httpserver.DefaultCatalogPort),
		addressKey("serve.admin.addr", "the same for svc serve alone, in place of admin.addr"),
		{Name: "serve.follow", About: "how often svc serve looks whether the tag of its catalog names another one; without " +
			"it never", Rule: "must be a duration like 5m, at least 1s", allowed: isInterval},
		{Name: "serve.page", About: "whether svc serve also serves the page of svc explore, at /; then pages of other " +
			"sites may not ask", Rule: "must be true or false", Default: "false", words: []string{"true", "false"},
			allowed: isYesOrNo, kind: "bool"},
		hostKey("verify-serve"),
		portKey("verify-serve", httpserver.DefaultVerificationPort),
		addressKey("verify-serve.admin.addr", "the same for svc verify-serve alone, in place of admin.addr"),
		{Name: "verify-serve.origin", About: "the web origin whose pages may ask svc verify-serve; without it none",
			Rule: `must be "*" or an origin like https://app.example.org`, allowed: isOrigin},
		{Name: "verify-serve.max-age", About: "for how many seconds caches may keep an answer of svc verify-serve",
			Rule: "must be an integer from 0 to 86400", Default: "0", allowed: isMaxAge, kind: "int"},
		{Name: "verify-serve.signer-command", About: "the program that signs answers of svc verify-serve, in place of " +
			"--signing-key; without either they are unsigned", Rule: "must be a program with its arguments",
			allowed: isNotEmpty},
		{Name: "registry.ca", About: "the file with authorities that may vouch for registries, beside those of the system",
			Rule: "must be the name of a file", allowed: isNotEmpty},
		{Name: "trust.key", About: "the file with the public key of whoever publishes catalogs, where no recipe names one",
			Rule: "must be the name of a file", allowed: isNotEmpty},
		{Name: "trust.endpoint", About: "the URL at which to ask what became of a catalog; without it nobody is asked",
			Rule: "must be a URL like https://catalogs.example, without a user", allowed: isEndpoint},
		{Name: "trust.max-age", About: "for how long an answer of that endpoint counts", Default: "24h",
			Rule: "must be a duration like 24h or 7d", allowed: isAge},
	}
}

func addressKey(name, about string) Key {
	return Key{Name: name, About: about, Rule: "must be an address like 127.0.0.1:9090", allowed: isAddress}
}

func hostKey(server string) Key {
	return Key{Name: server + ".host", About: "the interface that svc " + server + " binds, in place of --host",
		Rule: "must be the name or address of an interface", Default: httpserver.DefaultHost, allowed: isNotEmpty}
}

func portKey(server string, initial int) Key {
	return Key{Name: server + ".port", About: "the port that svc " + server + " binds, in place of --port",
		Rule: "must be an integer from 0 to 65535", Default: strconv.Itoa(initial), allowed: isPort, kind: "int"}
}

func choice(name, initial, about string, words ...string) Key {
	return Key{Name: name, About: about, Rule: "must be " + ijson.Alternatives(words), Default: initial,
		allowed: func(v string) bool { return slices.Contains(words, v) }, words: words}
}

func isNotEmpty(v string) bool { return v != "" }

// isYesOrNo tells the spellings that YAML has for it.
func isYesOrNo(v string) bool {
	return slices.Contains([]string{"true", "True", "TRUE", "false", "False", "FALSE"}, v)
}

func isPort(v string) bool {
	n, ok := option.PlainInteger(v)
	return ok && n <= math.MaxUint16
}

// isMaxAge allows a day: who asks a cache learns of a revocation that much later.
func isMaxAge(v string) bool {
	const day = 24 * 60 * 60
	n, ok := option.PlainInteger(v)
	return ok && n <= day
}

func isEndpoint(v string) bool {
	_, err := asker.ParseEndpoint(v)
	return err == nil
}

func isInterval(v string) bool {
	every, err := option.ParseAge(v)
	return err == nil && every >= time.Second
}

func isAge(v string) bool {
	age, err := option.ParseAge(v)
	return err == nil && age > 0
}

// isOrigin reports whether v is what a browser sends as Origin (RFC 6454), or stands for all.
func isOrigin(v string) bool {
	u, err := url.Parse(v)
	return v == "*" ||
		err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && v == u.Scheme+"://"+u.Host
}

func isAddress(v string) bool {
	_, port, err := net.SplitHostPort(v)
	return err == nil && isPort(port)
}

// Load reads the configuration: options that were given, the variables SVC_*, and the
// file that SVC_CONFIG names, else svc/config.yaml in the user's configuration
// directory if it is there. Options of the command that were not given take the values of
// their keys; one that does not take a value of the key is left as it is.
func Load(command string, options *pflag.FlagSet) (*Config, error) {
	c := &Config{command: command}
	file := &c.document.File
	text, err := file.read()
	if err != nil {
		return nil, err
	}
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(strings.NewReader(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	for _, k := range Keys() {
		setting := Setting{k.Name, record.Text(k.Default), FromDefault, ""}
		if k.Default != "" {
			v.SetDefault(k.Name, k.Default)
		}
		if v.InConfig(k.Name) {
			setting.Origin, setting.Where = FromFile, file.Name
		}
		variable := k.Variable()
		if text := os.Getenv(variable); text != "" {
			setting.Origin, setting.Where = FromVariable, record.Text(variable)
			if !k.allowed(text) {
				return nil, fmt.Errorf("%s: %s: %s", variable, k.Name, k.refuse(text))
			}
		}
		if err := v.BindEnv(k.Name, variable); err != nil {
			return nil, err
		}
		if f := options.Lookup(k.option(command)); f != nil {
			if err := v.BindPFlag(k.Name, f); err != nil {
				return nil, err
			}
			if f.Changed {
				setting.Origin, setting.Where = FromOption, record.Text("--"+f.Name)
			} else if setting.Origin != FromDefault {
				_ = f.Value.Set(v.GetString(k.Name)) // it is right for one command or other
			}
		}
		if setting.Origin != FromDefault {
			setting.Value = record.Text(v.GetString(k.Name))
		}
		c.document.Settings = append(c.document.Settings, setting)
	}
	return c, v.UnmarshalExact(c)
}

// Gives reports whether an option of the command has a value from a variable or the file.
func (c *Config) Gives(option string) bool {
	for _, s := range c.document.Settings {
		if k := (Key{Name: s.Key}); k.option(c.command) == option && s.Origin != FromDefault {
			return true
		}
	}
	return false
}

// Document returns what the configuration is, and where it comes from.
func (c *Config) Document() Document { return c.document }
