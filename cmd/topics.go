package cmd

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Topic is something that concerns several commands. "svc help" prints its text.
type Topic struct {
	Name  string
	Short string
	Text  string // in the form of a usage
	// ManualSection is the section of its manual page: 5 for files, 7 for the rest.
	ManualSection int
	// commands are the paths of those that it matters most to; all if there are none.
	commands []string
}

// The texts keep to 80 columns. Tests hold the words in them against those that
// the code knows.
var (
	//go:embed topics/formats.txt
	formatsText string
	//go:embed topics/exit-codes.txt
	exitCodesText string
	//go:embed topics/environment.txt
	environmentText string
	//go:embed topics/ranking.txt
	rankingText string
)

// Topics returns all topics.
func Topics() []Topic {
	return []Topic{
		{"formats", "The kinds of files, and how they are told apart", formatsText, 5, []string{
			"svc compile", "svc validate", "svc rank", "svc serve", "svc import", "svc verify", "svc verify-load", "svc verify-serve", "svc schema",
			"svc sources fetch", "svc sources pin", "svc sources discover", "svc sources mapping"}},
		{"exit-codes", "What the exit code of a command says", exitCodesText, 7, nil},
		{"environment", "The variables that svc reads, and its configuration", environmentText + variablesText(), 7, nil},
		{"ranking", "How a ranking comes about, and what its reasons mean", rankingText, 7, []string{"svc rank", "svc serve"}},
	}
}

// Sections returns the parts of the text.
func (t *Topic) Sections() []Section { return splitSections(strings.TrimRight(t.Text, "\n")) }

// Concerns reports whether a topic matters to a command, or is one of the program.
func (t *Topic) Concerns(c *cobra.Command) bool {
	return t.commands == nil || !c.HasParent() || slices.Contains(t.commands, c.CommandPath())
}

// topicNamed returns the topic of a name, or nil.
func topicNamed(name string) *Topic {
	for _, t := range Topics() {
		if t.Name == name {
			return &t
		}
	}
	return nil
}

// topicList lists the topics as a usage lists commands.
func topicList() string {
	var b strings.Builder
	for _, t := range Topics() {
		b.WriteString("  svc help " + t.Name + "\n      " + t.Short + "\n")
	}
	return b.String()
}

// variablesText lists the environment variables.
func variablesText() string {
	var b strings.Builder
	for _, v := range allVariables() {
		b.WriteString("  " + v.Name + "\n" + wrap(v.Meaning, "      "))
	}
	return b.String()
}

// wrap breaks a text into indented lines of at most 80 columns.
func wrap(text, indent string) string {
	const width = 80
	var b strings.Builder
	line := indent
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > width:
			b.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}
