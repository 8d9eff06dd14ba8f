package resolver

import (
	_ "embed" // for the tables
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

//go:embed makers.json
var makersJSON []byte

//go:embed aliases.json
var aliasesJSON []byte

// maker is a line of makers.json.
type maker struct {
	ID       string
	Names    []string // as paths and prefixes of names have them
	Families []string // how names of its models begin
}

// alias is a line of aliases.json: a name that is another, and why.
type alias struct {
	Name    string // a pattern of the whole name
	Is      string // the name; $1 is what the first group matches, $0 all
	Maker   string // of whose models alone, or whose model it is
	Seller  string // where alone
	Not     string // where not
	Service string // that the name tells
	Why     string
	Row     string // one that needs the line: the seller and the id

	pattern *regexp.Regexp
	start   string // of whatever matches
}

// ending is how names end of models that a seller serves otherwise than usual.
type ending struct {
	Suffix  string // several with | between them
	Service string // "" for none that counts
	Of      string // a pattern of the names before it
	Seller  string // where alone
	Why     string
	Row     string // one that needs the line: the seller and the id

	suffixes []string
	pattern  *regexp.Regexp
}

// without takes the ending off a name.
func (e *ending) without(name string) (rest string, ok bool) {
	for _, suffix := range e.suffixes {
		if rest, ok := strings.CutSuffix(name, suffix); ok && e.pattern.MatchString(rest) {
			return rest, true
		}
	}
	return name, false
}

// tables are what a resolver knows.
type tables struct {
	Versions     []string          // of the rules and the tables
	makers       map[string]string // ids by names
	known        map[string]bool   // ids
	prefixes     []string          // names of makers and hosts, the longest first
	families     []family          // the longest first
	hosts        map[string]bool
	requantizers []string // makers that also publish quantized weights of others
	joined       []string // families that are written together with the number after them
	pointed      []string // families that are written with .0 where others leave it out
	aliases      []alias
	endings      []ending
	routers      *regexp.Regexp // names, and names with the segment of the path before them
}

// family is how names of a maker's models begin.
type family struct{ name, maker string }

// readTables reads the tables that are part of the program.
func readTables() (*tables, error) {
	var err error
	var names struct {
		Version string
		Makers  []maker
		Hosts   []string
		Joined  []string
		Pointed []string

		Requantizers []string
	}
	if err = json.Unmarshal(makersJSON, &names); err != nil {
		return nil, err
	}
	var lines struct {
		Version  string
		Aliases  []alias
		Switches []ending
		Routers  []string

		RouterPaths []string
	}
	if err = json.Unmarshal(aliasesJSON, &lines); err != nil {
		return nil, err
	}
	t := &tables{Versions: []string{Version, names.Version, lines.Version}, makers: map[string]string{},
		known: map[string]bool{}, hosts: map[string]bool{}, joined: names.Joined, pointed: names.Pointed,
		requantizers: names.Requantizers, aliases: lines.Aliases, endings: lines.Switches}
	for _, m := range names.Makers {
		t.known[m.ID] = true
		for _, name := range m.Names {
			t.makers[name] = m.ID
		}
		for _, name := range m.Families {
			t.families = append(t.families, family{name, m.ID})
		}
	}
	for _, name := range names.Hosts {
		t.hosts[name] = true
		t.prefixes = append(t.prefixes, name)
	}
	for name := range t.makers {
		t.prefixes = append(t.prefixes, name)
	}
	slices.SortFunc(t.prefixes, longer)
	slices.SortStableFunc(t.families, func(a, b family) int { return longer(a.name, b.name) })
	if err := t.compile(); err != nil {
		return nil, err
	}
	t.routers, err = regexp.Compile("^(?:(?:.*/)?(?:" + strings.Join(lines.Routers, "|") + ")|(?:" +
		strings.Join(lines.RouterPaths, "|") + "))$")
	return t, err
}

// compile compiles the patterns of aliases and endings.
func (t *tables) compile() (err error) {
	for i := range t.aliases {
		a := &t.aliases[i]
		if a.pattern, err = regexp.Compile("^(?:" + a.Name + ")$"); err != nil {
			return err
		}
		if a.start, err = literalStart(a.Name); err != nil {
			return err
		}
	}
	for i := range t.endings {
		e := &t.endings[i]
		if e.pattern, err = regexp.Compile("^(?:" + e.Of + ")$"); err != nil {
			return err
		}
		for suffix := range strings.SplitSeq(e.Suffix, "|") {
			e.suffixes = append(e.suffixes, "-"+suffix)
		}
	}
	return nil
}

// literalStart returns how whatever matches a pattern begins, as far as the pattern tells.
func literalStart(pattern string) (string, error) {
	part, err := syntax.Parse(pattern, syntax.Perl)
	for err == nil {
		switch part.Op {
		case syntax.OpConcat, syntax.OpCapture:
			part = part.Sub[0]
		case syntax.OpLiteral:
			return string(part.Rune), nil
		default:
			return "", nil
		}
	}
	return "", err
}

// longer orders names, the longest first, and then as text.
func longer(a, b string) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	return strings.Compare(a, b)
}
