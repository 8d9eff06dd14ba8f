package config

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/service/record"
)

// clear makes the variables of all keys empty.
func clear(t *testing.T) {
	t.Helper()
	for _, k := range Keys() {
		t.Setenv(k.Variable(), "")
	}
}

// The example is one that svc takes, and has every key.
func TestExample(t *testing.T) {
	clear(t)
	t.Setenv("SVC_CONFIG", "../../../examples/config.yaml")
	c, err := Load("", pflag.NewFlagSet("", pflag.ContinueOnError))
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range Keys() {
		switch s := c.Document().Settings[i]; {
		case s.Key != k.Name || s.Origin != FromFile:
			t.Errorf("it has no %s", k.Name)
		case k.Default != "" && s.Value != record.Text(k.Default):
			t.Errorf("%s is %s, which is not the default", k.Name, s.Value)
		}
	}
	if !c.Document().File.Found || c.Catalog != "catalog.json" || c.Admin.Addr != "127.0.0.1:9090" || c.Log.Level != "info" {
		t.Errorf("%+v", c)
	}
}

// Each place wins over those before it, and is what the origin says.
func TestOrigins(t *testing.T) {
	clear(t)
	t.Setenv("SVC_CONFIG", "../../../examples/config.yaml")
	options := pflag.NewFlagSet("", pflag.ContinueOnError)
	color, catalog := options.String("color", "auto", ""), options.String("catalog", "", "")
	if err := options.Parse([]string{"--color", "never"}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SVC_COLOR", "always")
	t.Setenv("SVC_LOG_LEVEL", "debug")
	c, err := Load("", options)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Setting{
		"catalog":   {"catalog", "catalog.json", FromFile, "../../../examples/config.yaml"},
		"color":     {"color", "never", FromOption, "--color"},
		"log.level": {"log.level", "debug", FromVariable, "SVC_LOG_LEVEL"},
	}
	for _, s := range c.Document().Settings {
		if w, ok := want[s.Key]; ok && s != w {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
	if *color != "never" || *catalog != "catalog.json" || c.Color != "never" || c.Log.Level != "debug" || c.Catalog != "catalog.json" {
		t.Errorf("--color %s, --catalog %s, %+v", *color, *catalog, c)
	}
}
