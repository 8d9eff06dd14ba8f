package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/cmd"
	"github.com/model-catalog-service/svc/docs/manual"
)

// Manual pages are written in the man macros of roff, as groff and mandoc both read
// them. They carry no date: the same commands give the same pages.
//
// Cobra's own generator is not used: its pages have no sections for the exit status,
// the environment and the commands below a command, write options as --out="", and
// take a Markdown translator along, all of which would have to be mended afterwards.

func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// commandManual is the manual page of a command.
func commandManual(c *cobra.Command) []byte {
	var r roff
	r.begin(manualName(c), "1", c.Short)
	r.section("Synopsis")
	r.synopsis(cmd.Synopsis(c))
	r.section("Description")
	r.text(manual.Command(c.CommandPath()).Description)
	notes := cmd.Notes(c)
	for _, s := range notes {
		if s.Title == "" {
			r.body(&s)
		}
	}
	groups := cmd.Groups(c)
	if groups != nil {
		r.section("Commands")
	}
	for _, g := range groups {
		if len(groups) > 1 {
			r.macro(".SS " + escape(g.Title))
		}
		for _, sub := range g.Commands {
			r.item(func() { r.synopsis(cmd.Synopsis(sub)) }, sub.Short)
		}
	}
	r.section("Options")
	c.Flags().VisitAll(r.option)
	for _, s := range notes {
		if s.Title != "" {
			r.section(strings.Replace(s.Title, "Exit codes", "Exit status", 1)) // as manual pages call it
			r.body(&s)
		}
	}
	if variables := cmd.Variables(c); len(variables) > 0 {
		r.section("Environment")
		r.items(variables)
	}
	var related []string
	if c.HasParent() {
		related = append(related, manualName(c.Parent())+"(1)")
	}
	for _, sub := range c.Commands() {
		related = append(related, manualName(sub)+"(1)")
	}
	for _, t := range cmd.Topics() {
		if t.Concerns(c.CommandPath()) {
			related = append(related, topicManualName(&t))
		}
	}
	r.seeAlso(related)
	return r.Bytes()
}

func topicManualName(t *manual.Topic) string {
	return fmt.Sprintf("svc-%s(%d)", t.Name, t.ManualSection)
}

// topicManual is the manual page of a topic.
func topicManual(t *manual.Topic) []byte {
	var r roff
	r.begin("svc-"+t.Name, strconv.Itoa(t.ManualSection), t.Short)
	r.section("Description")
	for i, s := range t.Sections {
		switch {
		case s.Title != "":
			r.macro(".SS " + escape(s.Title))
		case i > 0:
			r.macro(".PP") // which ends the list before it
		}
		r.body(&s)
	}
	related := []string{"svc(1)"}
	for _, other := range cmd.Topics() {
		if other.Name != t.Name {
			related = append(related, topicManualName(&other))
		}
	}
	r.seeAlso(related)
	return r.Bytes()
}

// roff writes a manual page.
type roff struct {
	bytes.Buffer
	begun bool // something comes after the title of the section
}

// macro writes a macro that begins something.
func (r *roff) macro(text string) {
	r.WriteString(text + "\n")
	r.begun = false
}

// line writes a line of text that is escaped already.
func (r *roff) line(s string) {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s // else it would be a macro
	}
	r.WriteString(s + "\n")
	r.begun = true
}

// paragraph sets off what comes next from what comes before it in the section.
func (r *roff) paragraph() {
	if r.begun {
		r.WriteString(".PP\n")
	}
}

func (r *roff) begin(name, section, short string) {
	r.macro(fmt.Sprintf(".TH %s %s \"\" svc \"svc manual\"\n.nh\n.ad l", escape(strings.ToUpper(name)), section))
	r.section("Name")
	r.line(escape(name) + ` \- ` + escape(strings.ToLower(short[:1])+short[1:]))
}

func (r *roff) section(title string) { r.macro(".SH " + escape(strings.ToUpper(title))) }

// body writes a section without its title.
func (r *roff) body(s *manual.Section) {
	r.text(s.Text)
	if s.Code != "" {
		r.verbatim(strings.Split(strings.TrimSuffix(s.Code, "\n"), "\n"))
	}
	r.items(s.Items)
}

func (r *roff) text(s string) {
	for _, b := range manual.Blocks(s) {
		if b.Verbatim {
			r.verbatim(b.Lines)
		} else {
			r.paragraph()
			r.fill(b.Lines...)
		}
	}
}

// fill writes lines of a paragraph. A line that ends like a sentence gets no wider
// space after it than a sentence that ends within a line.
func (r *roff) fill(lines ...string) {
	for _, s := range lines {
		s = escape(s)
		if strings.TrimRight(s, `.:?!")`) != s {
			s += `\&`
		}
		r.line(s)
	}
}

func (r *roff) verbatim(lines []string) {
	r.paragraph()
	r.WriteString(".RS 4\n.EX\n")
	for _, s := range lines {
		r.line(escape(s))
	}
	r.WriteString(".EE\n.RE\n")
}

func (r *roff) items(list manual.Items) {
	for _, i := range list {
		r.item(func() { r.line(bold(i.Term)) }, i.Meaning)
	}
}

// item writes a term and below it what it means.
func (r *roff) item(term func(), meaning string) {
	r.WriteString(".TP\n")
	term()
	if meaning != "" {
		r.fill(meaning)
	}
}

func (r *roff) option(f *pflag.Flag) {
	value, meaning := pflag.UnquoteUsage(f)
	names := bold("--" + f.Name)
	if f.Shorthand != "" {
		names = bold("-"+f.Shorthand) + ", " + names
	}
	if value != "" {
		names += " " + italic(value)
	}
	if f.DefValue != "" && f.DefValue != "false" {
		meaning += " (default " + f.DefValue + ")"
	}
	r.item(func() { r.line(names) }, meaning)
}

var synopsisWord = regexp.MustCompile(`-{1,2}[a-z][a-z-]*|<[a-z-]+>|[A-Z]{2,}|[^-<A-Z]+|.`)

// synopsis writes a command line with its command and options in bold and the names of
// values in italics.
func (r *roff) synopsis(s string) {
	words := strings.Split(s, " ")
	command := slices.IndexFunc(words, func(word string) bool {
		return strings.ContainsAny(word[:1],
			"-<[(ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	})
	if command < 0 {
		command = len(words)
	}
	line := bold(strings.Join(words[:command], " "))
	if command < len(words) {
		line += " "
	}
	for _, word := range synopsisWord.FindAllString(strings.Join(words[command:], " "), -1) {
		switch {
		case len(word) > 1 && word[0] == '-':
			line += bold(word)
		case word[0] == '<', len(word) > 1 && unicode.IsUpper(rune(word[0])):
			line += italic(word)
		default:
			line += escape(word)
		}
	}
	r.line(line)
}

func (r *roff) seeAlso(pages []string) {
	r.section("See also")
	for i, page := range pages {
		name, section, _ := strings.Cut(page, "(")
		end := ","
		if i == len(pages)-1 {
			end = ""
		}
		r.line(bold(name) + "(" + section + end)
	}
}

func bold(s string) string   { return `\fB` + escape(s) + `\fR` }
func italic(s string) string { return `\fI` + escape(s) + `\fR` }

// escape makes roff print a text as it is: the characters that it would take for its
// own or for typography, and those beyond ASCII.
func escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, `"`,
		`\(dq`).Replace(s)
	var b strings.Builder
	for _, c := range s {
		if c < 0x80 {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}
