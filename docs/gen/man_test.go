package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/cmd"
	"github.com/model-catalog-service/svc/docs/manual"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// manuals returns all manual pages by their name.
func manuals(t *testing.T) map[string]string {
	t.Helper()
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for path, text := range files {
		if name, ok := strings.CutPrefix(path, "docs/man/"); ok {
			pages[name] = string(text)
		}
	}
	if len(pages) < 15 {
		t.Fatalf("%d pages, there are more", len(pages))
	}
	return pages
}

// Every page has what readers of manual pages look for, and every option.
func TestManualsAreWhole(t *testing.T) {
	vectortest.SkipRace(t)
	pages := manuals(t)
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		name := manualName(c) + ".1"
		page := pages[name]
		sections := []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"}
		if c.Example != "" {
			sections = append(sections, "EXAMPLES")
		}
		if len(cmd.Variables(c)) > 0 {
			sections = append(sections, "ENVIRONMENT")
		}
		for _, s := range sections {
			if strings.Count(page, "\n.SH "+s+"\n") != 1 {
				t.Errorf("%s has no section %s, or several", name, s)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, bold("--"+f.Name)) {
				t.Errorf("%s does not tell of --%s", name, f.Name)
			}
			isTold := strings.Contains(page, "(default "+escape(f.DefValue)+")")
			if hasDefault := f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]"; hasDefault && !isTold {
				t.Errorf("%s does not tell that --%s is %s by default", name, f.Name, f.DefValue)
			}
		})
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(cmd.Root())
}

// plain takes the markup off a page and returns its words.
func plain(page string) string {
	var words []string
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(line, ".SS "); ok {
			line = strings.TrimSpace(title) + ":"
		}
		if !strings.HasPrefix(line, ".") {
			words = append(words, strings.Fields(line)...)
		}
	}
	return strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\&`, "", `\-`, "-", `\(aq`, "'", `\(dq`, `"`,
		`\(ti`, "~", `\(ha`, "^", `\(ga`, "`", `\e`, `\`).Replace(strings.Join(words, " "))
}

// No word of a text is lost on the way to a page, and none gets out of order.
func TestManualsSayTheSame(t *testing.T) {
	vectortest.SkipRace(t)
	pages := manuals(t)
	contains := func(name, text string) {
		words := strings.Join(strings.Fields(text), " ")
		if words == "" || !strings.Contains(plain(pages[name]), words) {
			t.Errorf("%s does not say %q", name, words)
		}
	}
	for _, topic := range cmd.Topics() {
		name := fmt.Sprintf("svc-%s.%d", topic.Name, topic.ManualSection)
		contains(name, manual.Print(topic.Sections))
		for _, s := range []string{"NAME", "DESCRIPTION", "SEE ALSO"} {
			if strings.Count(pages[name], "\n.SH "+s+"\n") != 1 {
				t.Errorf("%s has no section %s, or several", name, s)
			}
		}
	}
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		name := manualName(c) + ".1"
		contains(name, manual.Command(c.CommandPath()).Description)
		for _, s := range cmd.Sections(c) {
			isGroup := slices.ContainsFunc(cmd.Groups(c), func(g cmd.Group) bool { return g.Title == s.Title })
			if !isGroup && !slices.Contains([]string{"Options", "Topics", "Servers"}, s.Title) {
				contains(name, s.Body())
			}
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(cmd.Root())
}

// What readers of manual pages run finds nothing wrong with them. There is no
// date in them, deliberately.
func TestManualsAreRoff(t *testing.T) {
	mandoc := vectortest.Tool(t, "mandoc", "mandoc")
	complaints := func(page string) (lines []string) {
		c := exec.Command(mandoc, "-T", "lint", "-W", "warning")
		c.Stdin = strings.NewReader(page)
		out, _ := c.CombinedOutput() // what it says counts
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		return lines
	}
	for name, page := range manuals(t) {
		for _, line := range complaints(page) {
			t.Errorf("%s: %s", name, line)
		}
	}
	if complaints(".TH SVC 1 \"\" svc\n.SH NAME\nsvc \\- \\[nowhere]\n.nothing\n") == nil {
		t.Error("it does not find what is wrong with a page")
	}
}

// Texts come out as they are, whatever they hold.
func TestRoffText(t *testing.T) {
	for s, want := range map[string]string{
		"a - b --c":   `a \- b \-\-c`,
		`C:\new 'x'`:  `C:\enew \(aqx\(aq`,
		"`~^\" é …":   `\(ga\(ti\(ha\(dq \[u00E9] \[u2026]`,
		"plain text.": "plain text.",
	} {
		if got := escape(s); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
	var r roff
	r.section("Description")
	r.text("One.\n.TH 'two'\n\nThree:\n  .nf  \\f\n'four")
	want := ".SH DESCRIPTION\nOne.\\&\n\\&.TH \\(aqtwo\\(aq\n.PP\nThree:\\&\n.PP\n.RS 4\n.EX\n\\&.nf  \\ef\n.EE\n.RE\n.PP\n\\(aqfour\n"
	if got := r.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var list roff
	list.section("Exit codes")
	list.body(&manual.Section{Text: "One of\nthese:", Code: "-1\n", Items: manual.Items{{Term: "0", Meaning: "done"}, {Term: "10"}}})
	want = ".SH EXIT CODES\nOne of\nthese:\\&\n.PP\n.RS 4\n.EX\n\\-1\n.EE\n.RE\n.TP\n\\fB0\\fR\ndone\n.TP\n\\fB10\\fR\n"
	if got := list.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A synopsis is the text of the usage, with its words marked.
func TestRoffSynopsis(t *testing.T) {
	var r roff
	r.synopsis("svc sources pin SOURCE --url URL [-o FILE]... (--port <port>)")
	want := `\fBsvc sources pin\fR \fISOURCE\fR \fB\-\-url\fR \fIURL\fR [\fB\-o\fR \fIFILE\fR]... (\fB\-\-port\fR \fI<port>\fR)` + "\n"
	if got := r.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !bytes.Contains(commandManual(cmd.Root()), []byte("\n.SH SYNOPSIS\n\\fBsvc\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n")) {
		t.Error("svc(1) has no synopsis")
	}
}
