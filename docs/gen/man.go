package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/cmd"
)

// Manual pages are written in the man macros of roff, as groff and mandoc both
// read them. They carry no date: the same commands give the same pages.

// addManuals adds the manual page of a command and those of the commands below it.
func addManuals(files map[string][]byte, c *cobra.Command) {
	files["docs/man/"+manualName(c)+".1"] = manual(c)
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			addManuals(files, sub)
		}
	}
}

func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func manual(c *cobra.Command) []byte {
	var r roff
	r.begin(manualName(c), "1", c.Short)
	var untitled, titled []cmd.Section
	for _, s := range cmd.Sections(c) {
		switch s.Title {
		case "":
			untitled = append(untitled, s)
		case "Usage":
			r.section("Synopsis")
			r.synopsis(strings.TrimSpace(s.Text))
		case "Commands", "Options", "Topics": // they are made of what they come from, below
		default:
			titled = append(titled, s)
		}
	}
	r.section("Description")
	r.text(c.Long)
	for _, s := range untitled {
		r.text(s.Text)
	}
	if c.HasSubCommands() {
		r.section("Commands")
		for _, sub := range c.Commands() {
			r.item(func() { r.synopsis(strings.TrimSpace(cmd.Sections(sub)[0].Text)) }, sub.Short)
		}
	}
	r.section("Options")
	c.Flags().VisitAll(r.option)
	for _, s := range titled {
		title := s.Title
		if title == "Exit codes" {
			title = "Exit status"
		}
		r.section(title)
		r.list(s.Text)
	}
	if variables := cmd.Variables(c); len(variables) > 0 {
		r.section("Environment")
		for _, v := range variables {
			r.item(func() { r.line(bold(v.Name)) }, v.Meaning)
		}
	}
	r.seeAlso(relatives(c))
	return r.Bytes()
}

// addTopicManuals adds the manual pages of the topics.
func addTopicManuals(files map[string][]byte) {
	for _, t := range cmd.Topics() {
		files[fmt.Sprintf("docs/man/svc-%s.%d", t.Name, t.ManualSection)] = topicManual(&t)
	}
}

func topicManual(t *cmd.Topic) []byte {
	var r roff
	r.begin("svc-"+t.Name, strconv.Itoa(t.ManualSection), t.Short)
	r.section("Description")
	for _, s := range t.Sections() {
		if s.Title == "" {
			r.text(s.Text)
			continue
		}
		r.paragraph()
		r.line(bold(s.Title + ":"))
		r.list(s.Text)
	}
	pages := []string{"svc(1)"}
	for _, other := range cmd.Topics() {
		if other.Name != t.Name {
			pages = append(pages, topicPage(&other))
		}
	}
	r.seeAlso(pages)
	return r.Bytes()
}

func topicPage(t *cmd.Topic) string { return fmt.Sprintf("svc-%s(%d)", t.Name, t.ManualSection) }

// relatives are the manual pages of the commands above and below a command, and
// those about what concerns it.
func relatives(c *cobra.Command) (pages []string) {
	if c.HasParent() {
		pages = append(pages, manualName(c.Parent())+"(1)")
	}
	for _, sub := range c.Commands() {
		pages = append(pages, manualName(sub)+"(1)")
	}
	for _, t := range cmd.Topics() {
		if t.Concerns(c) {
			pages = append(pages, topicPage(&t))
		}
	}
	return pages
}

// roff writes a manual page.
type roff struct {
	bytes.Buffer
	inSection bool // something stands below the title of the section
}

// line writes a line of text that is escaped already.
func (r *roff) line(s string) {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s // else it would be a request
	}
	r.WriteString(s + "\n")
	r.inSection = true
}

// paragraph sets off what comes next from what stands before it in the section.
func (r *roff) paragraph() {
	if r.inSection {
		r.WriteString(".PP\n")
	}
}

func (r *roff) begin(name, section, short string) {
	fmt.Fprintf(r, ".TH %s %s \"\" svc \"svc manual\"\n.nh\n.ad l\n", escape(strings.ToUpper(name)), section)
	r.section("Name")
	r.line(escape(name) + ` \- ` + escape(lowerFirst(short)))
}

func (r *roff) section(title string) {
	fmt.Fprintf(r, ".SH %s\n", escape(strings.ToUpper(title)))
	r.inSection = false
}

// text writes paragraphs, which are filled, and what stands indented between
// them, which is left as it is.
func (r *roff) text(s string) {
	for part := range strings.SplitSeq(s, "\n\n") {
		lines := strings.Split(part, "\n")
		for len(lines) > 0 {
			n := 0
			isCode := strings.HasPrefix(lines[0], "  ")
			for n < len(lines) && strings.HasPrefix(lines[n], "  ") == isCode {
				n++
			}
			if isCode {
				r.verbatim(lines[:n])
			} else {
				r.paragraph()
				r.fill(lines[:n])
			}
			lines = lines[n:]
		}
	}
}

// fill writes lines of a paragraph. A line that ends like a sentence gets no
// wider space behind it than a sentence that ends within a line.
func (r *roff) fill(lines []string) {
	for _, s := range lines {
		s = escape(strings.TrimSpace(s))
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
		r.line(escape(strings.TrimPrefix(s, "  ")))
	}
	r.WriteString(".EE\n.RE\n")
}

var (
	listItem = regexp.MustCompile(`^  (\S.*?)  +(\S.*)$`)
	listTerm = regexp.MustCompile(`^  (\S.*)\n      \S`)
)

// list writes the text of a section with a title: items, each with its meaning
// two spaces or more behind it or on the lines below it, or sentences, or else
// what is to be left as it is.
func (r *roff) list(s string) {
	for part := range strings.SplitSeq(s, "\n\n") {
		lines := strings.Split(part, "\n")
		switch {
		case listTerm.MatchString(part):
			for i, s := range lines {
				if strings.HasPrefix(s, "      ") {
					r.fill(lines[i : i+1])
				} else {
					r.item(func() { r.line(bold(strings.TrimSpace(s))) }, "")
				}
			}
		case listItem.MatchString(lines[0]):
			for i, s := range lines {
				if m := listItem.FindStringSubmatch(s); m != nil {
					r.item(func() { r.line(bold(m[1])) }, m[2])
				} else {
					r.fill(lines[i : i+1])
				}
			}
		case strings.HasSuffix(part, "."):
			r.paragraph()
			r.fill(lines)
		default:
			r.verbatim(lines)
		}
	}
}

// item writes a term and below it what it means, if that does not come later.
func (r *roff) item(term func(), meaning string) {
	r.WriteString(".TP\n")
	term()
	if meaning != "" {
		r.fill([]string{meaning})
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
	switch f.DefValue {
	case "", "false", "[]":
	default:
		meaning += " (default " + f.DefValue + ")"
	}
	r.item(func() { r.line(names) }, meaning)
}

var synopsisWord = regexp.MustCompile(`-{1,2}[a-z][a-z-]*|<[a-z-]+>|[A-Z]{2,}|[^-<A-Z]+|.`)

// synopsis writes a command line with its command and options in bold and the
// names of values in italics. What belongs together is not broken.
func (r *roff) synopsis(s string) {
	command, rest := s, ""
	if at := strings.IndexAny(s, "-<[(ABCDEFGHIJKLMNOPQRSTUVWXYZ"); at > 0 {
		for at > 0 && s[at-1] != ' ' {
			at = strings.LastIndexByte(s, ' ') + 1
		}
		command, rest = s[:at], s[at:]
	}
	line := bold(strings.TrimSpace(command))
	if rest != "" {
		line += " "
	}
	for _, word := range synopsisWord.FindAllString(rest, -1) {
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

// escape makes roff print a text as it is: the characters that it would take for
// its own or for typography, and those beyond ASCII.
func escape(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch c {
		case '\\':
			b.WriteString(`\e`)
		case '-':
			b.WriteString(`\-`)
		case '\'':
			b.WriteString(`\(aq`)
		case '`':
			b.WriteString(`\(ga`)
		case '^':
			b.WriteString(`\(ha`)
		case '~':
			b.WriteString(`\(ti`)
		case '"':
			b.WriteString(`\(dq`)
		default:
			if c < 0x80 {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(&b, `\[u%04X]`, c)
			}
		}
	}
	return b.String()
}

func lowerFirst(s string) string {
	return strings.ToLower(s[:1]) + s[1:]
}
