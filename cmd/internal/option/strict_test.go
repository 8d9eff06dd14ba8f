package option

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// strictValues are the options that the tests of Judge use: those of serve.
type strictValues struct {
	catalog, host string
	port, ranks   uint64
	elsewhere     string // an option that is given elsewhere
	broken        error  // why it is not known which
}

// judge judges words that follow a strict command with the options.
func (v *strictValues) judge(words []string) error {
	c := Strict(&cobra.Command{Use: "serve"})
	Declare(c,
		Option{Name: "catalog", Value: Text(&v.catalog), Required: true, Offer: Nothing},
		Option{Name: "host", Value: Text(&v.host), Offer: Nothing},
		Option{Name: "port", Value: Integer(&v.port, 0, math.MaxUint16), Offer: Nothing},
		Option{Name: "max-ranks", Value: Integer(&v.ranks, 1, MaxInteger), Offer: Nothing},
	)
	return Judge(c.Flags(), words, func(name string) (bool, error) { return name == v.elsewhere, v.broken })
}

func TestJudgeAccepts(t *testing.T) {
	tests := []struct {
		words string // separated by a bar
		want  strictValues
	}{
		{"--catalog|c.json", strictValues{catalog: "c.json"}},
		{"--port|0|--catalog|c.json", strictValues{catalog: "c.json"}},
		{"--catalog|c.json|--port|65535|--host|::1|--max-ranks|9007199254740991",
			strictValues{catalog: "c.json", host: "::1", port: 65535, ranks: 9007199254740991}},
		{"--catalog|-", strictValues{catalog: "-"}},             // a file of that name
		{"--catalog|-c.json", strictValues{catalog: "-c.json"}}, // one dash may begin a value
		{"--catalog|-p", strictValues{catalog: "-p"}},           // even if it looks like an option
		{"--catalog|serve", strictValues{catalog: "serve"}},     // or like a command
		{"--catalog|a=b c", strictValues{catalog: "a=b c"}},     // anything else, too
		{"--catalog| ", strictValues{catalog: " "}},             // white space is not nothing
		{"--catalog|\n\x1b[2J", strictValues{catalog: "\n\x1b[2J"}},
	}
	for _, test := range tests {
		var got strictValues
		if err := got.judge(strings.Split(test.words, "|")); err != nil || got != test.want {
			t.Errorf("%q: %+v, %v, want %+v", test.words, got, err, test.want)
		}
	}
}

// An option that the configuration gives is not missing. If that cannot be read, the error
// stays the same, and a tip says so.
func TestJudgeWhatIsGivenElsewhere(t *testing.T) {
	v := strictValues{elsewhere: "catalog"}
	if err := v.judge([]string{"--port", "1"}); err != nil || v.port != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, v := range []strictValues{{elsewhere: "host"}, {}, {broken: errors.New("a.yaml: is broken")}} {
		want := UsageError{Message: "Missing option: --catalog"}
		if v.broken != nil {
			want.Tip = "The configuration cannot be read: a.yaml: is broken"
		}
		e, ok := errors.AsType[*UsageError](v.judge([]string{"--port", "1"}))
		if !ok || *e != want {
			t.Errorf("%+v: %+v", v, e)
		}
	}
}

func TestJudgeRefuses(t *testing.T) {
	const portRule = " (must be an integer from 0 to 65535)"
	const ranksRule = " (must be an integer from 1 to 9007199254740991)"
	tests := []struct{ words, want string }{
		// Left to right: what is no option, or none of these.
		{"--prot|80", "Unknown option: --prot"},
		{"--port=8080", "Unknown option: --port=8080"},
		{"--catalog=c.json", "Unknown option: --catalog=c.json"},
		{"-p|80", "Unknown option: -p"},
		{"-1", "Unknown option: -1"},
		{"--cat|c.json", "Unknown option: --cat"},
		{"--Catalog|c.json", "Unknown option: --Catalog"},
		{"--|--catalog|c.json", "Unknown option: --"},
		{"---catalog|c.json", "Unknown option: ---catalog"},
		{"catalog|c.json", "Unexpected argument: catalog"},
		{"-", "Unexpected argument: -"},
		{"--catalog|c.json|d.json", "Unexpected argument: d.json"},
		{"--catalog|c.json|--", "Unknown option: --"},
		{"--catalog|c.json|", "Unexpected argument: "},
		// Repeated, whatever stands behind.
		{"--catalog|c.json|--catalog|c.json", "Repeated option: --catalog"},
		{"--port|1|--port", "Repeated option: --port"},
		{"--port|1|--port|--host", "Repeated option: --port"},
		// No value: the end, or two dashes.
		{"--catalog", "Option needs a value: --catalog"},
		{"--catalog|--port|80", "Option needs a value: --catalog"},
		{"--catalog|--", "Option needs a value: --catalog"},
		{"--catalog|--x", "Option needs a value: --catalog"},
		{"--port|1|--catalog", "Option needs a value: --catalog"},
		// The first fault alone.
		{"--x|--catalog", "Unknown option: --x"},
		{"--port|x|--x", "Unknown option: --x"},
		{"stray|--x", "Unexpected argument: stray"},
		// Then what is missing.
		{"--port|80", "Missing option: --catalog"},
		{"--port|x", "Missing option: --catalog"},
		// Then values, in the order of the line.
		{"--catalog|", "Invalid value for --catalog: it must not be empty"},
		{"--catalog|c|--host|", "Invalid value for --host: it must not be empty"},
		{"--catalog|c|--port|", "Invalid value for --port: it is empty, must be an integer from 0 to 65535"},
		{"--max-ranks|0|--port|x|--catalog|c", "Invalid value for --max-ranks: 0" + ranksRule},
		{"--port|x|--max-ranks|0|--catalog|c", "Invalid value for --port: x" + portRule},
		{"--catalog|c|--port|65536", "Invalid value for --port: 65536" + portRule},
		{"--catalog|c|--port|-1", "Invalid value for --port: -1" + portRule},
		{"--catalog|c|--port|+1", "Invalid value for --port: +1" + portRule},
		{"--catalog|c|--port|080", "Invalid value for --port: 080" + portRule},
		{"--catalog|c|--port|00", "Invalid value for --port: 00" + portRule},
		{"--catalog|c|--port|0x50", "Invalid value for --port: 0x50" + portRule},
		{"--catalog|c|--port|8e1", "Invalid value for --port: 8e1" + portRule},
		{"--catalog|c|--port|80.0", "Invalid value for --port: 80.0" + portRule},
		{"--catalog|c|--port| 80", "Invalid value for --port:  80" + portRule},
		{"--catalog|c|--port|8_0", "Invalid value for --port: 8_0" + portRule},
		{"--catalog|c|--port|８０", "Invalid value for --port: ８０" + portRule},
		{"--catalog|c|--port|65536000000000000000000000", "Invalid value for --port: 65536000000000000000000000" + portRule},
		{"--catalog|c|--max-ranks|9007199254740992", "Invalid value for --max-ranks: 9007199254740992" + ranksRule},
		{"--catalog|c|--max-ranks|18446744073709551617", "Invalid value for --max-ranks: 18446744073709551617" + ranksRule},
	}
	for _, test := range tests {
		var got strictValues
		err := got.judge(strings.Split(test.words, "|"))
		if _, ok := errors.AsType[*UsageError](err); !ok || err.Error() != test.want {
			t.Errorf("%q: %v, want the usage error %s", test.words, err, test.want)
		}
	}
	if err := (&strictValues{}).judge(nil); err == nil || err.Error() != "Missing option: --catalog" {
		t.Errorf("no words: %v", err)
	}
}

func TestPlainInteger(t *testing.T) {
	for s, want := range map[string]uint64{"0": 0, "1": 1, "10": 10, "9007199254740991": 9007199254740991} {
		if n, ok := PlainInteger(s); !ok || n != want {
			t.Errorf("%q: %d, %v", s, n, ok)
		}
	}
	for _, s := range []string{"", "01", "00", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "1_0", "٣", "9007199254740992",
		"18446744073709551615", "18446744073709551616", "100000000000000000000000"} {
		if n, ok := PlainInteger(s); ok {
			t.Errorf("%q is %d", s, n)
		}
	}
}

// FuzzJudge holds what Judge accepts against the rules, said once more in
// another way: words come in pairs of a known option and a value, no option
// comes twice, no value is empty or begins with two dashes.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"", "--catalog|c.json|--port|80", "--catalog|--port", "--port=1", "-|--", "--port|01|--catalog|x", "--host|-h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var words []string
		if line != "" {
			words = strings.Split(line, "|")
		}
		var got strictValues
		err := got.judge(words)
		if follows := followsRules(words); (err == nil) != follows {
			t.Fatalf("%q: %v, but it follows the rules: %v", words, err, follows)
		}
		if err == nil {
			for i := 0; i < len(words); i += 2 {
				if words[i] == "--catalog" && got.catalog != words[i+1] || words[i] == "--host" && got.host != words[i+1] {
					t.Fatalf("%q: set to %+v", words, got)
				}
			}
			return
		}
		kinds := []string{"Unknown option: ", "Unexpected argument: ", "Repeated option: ", "Option needs a value: ",
			"Missing option: --catalog", "Invalid value for --"}
		if !slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(err.Error(), kind) }) {
			t.Fatalf("%q: %v", words, err)
		}
	})
}

func followsRules(words []string) bool {
	if len(words)%2 == 1 {
		return false
	}
	values := map[string]string{}
	for i := 0; i < len(words); i += 2 {
		name, value := words[i], words[i+1]
		if _, repeated := values[name]; repeated || value == "" || strings.HasPrefix(value, "--") {
			return false
		}
		if !slices.Contains([]string{"--catalog", "--host", "--port", "--max-ranks"}, name) {
			return false
		}
		values[name] = value
	}
	_, hasCatalog := values["--catalog"]
	return hasCatalog && isInteger(values["--port"], "65535") && values["--max-ranks"] != "0" &&
		isInteger(values["--max-ranks"], "9007199254740991")
}

// isInteger compares as text: of two numbers without leading zeros the longer is
// the larger.
func isInteger(s, most string) bool {
	if s == "" || s == "0" {
		return true // not given, or zero
	}
	if strings.Trim(s, "0123456789") != "" || s[0] == '0' {
		return false
	}
	return len(s) < len(most) || len(s) == len(most) && s <= most
}

// Choose must also hold for commands that have commands.
func TestChooseAmongNested(t *testing.T) {
	root := &cobra.Command{Use: "svc"}
	group := &cobra.Command{Use: "sources"}
	group.AddCommand(&cobra.Command{Use: "list"}, &cobra.Command{Use: "show ID"})
	root.AddCommand(group, &cobra.Command{Use: "compile"})
	tests := []struct{ words, command, fault string }{
		{"sources|list", "svc sources list", ""},
		{"sources|show|list", "svc sources show", ""},
		{"compile|sources", "svc compile", ""},
		{"sources", "svc sources", "Missing argument: COMMAND (must be list or show)"},
		{"sources|lst", "svc sources", "Unknown command: lst"},
		{"sources|--all|list", "svc sources", "Unknown option: --all"},
		{"sources|-", "svc sources", "Unknown command: -"},
		{"list", "svc", "Unknown command: list"},
		{"-v|list", "svc", "Unknown option: -v"},
		{"list|--help", "svc", "Unknown command: list"},
		{"sources|what|-h", "svc sources", "Unknown command: what"},
	}
	for _, test := range tests {
		c, help, err := Choose(root, strings.Split(test.words, "|"))
		message := ""
		if err != nil {
			message = err.Error()
		}
		if c.CommandPath() != test.command || help || message != test.fault {
			t.Errorf("%s: %s, help %v, %q, want %s, %q", test.words, c.CommandPath(), help, message, test.command, test.fault)
		}
	}
	for words, command := range map[string]string{
		"sources|--help":   "svc sources",
		"sources|list|-h":  "svc sources list",
		"sources|-h|list":  "svc sources",
		"sources|--all|-h": "svc sources",
		"--help|compile":   "svc",
	} {
		c, help, err := Choose(root, strings.Split(words, "|"))
		if c.CommandPath() != command || !help || err != nil {
			t.Errorf("%s: %s, help %v, %v, want the usage of %s", words, c.CommandPath(), help, err, command)
		}
	}
}
