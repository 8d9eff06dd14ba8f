package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// annotationNotes is the annotation of a command that holds the last part of
// its usage: exit codes, mostly.
const annotationNotes = "notes"

// exitNotes are the notes of a command that has nothing special to say.
const exitNotes = `Exit codes:
  0  done
  1  failure: "service: <message>" on stderr, a line for each problem
  2  usage error`

const programNotes = `Exit codes:
  0  done
  1  failure: "service: <message>" on stderr, a line for each problem
  2  usage error
  3  checked, and the answer is no

Configuration:
  The file that SVC_CONFIG names, else svc/config.yaml in your configuration
  directory, may set catalog, output, color, log.level, log.format and
  admin.addr; so may SVC_CATALOG, SVC_OUTPUT, SVC_COLOR, SVC_LOG_LEVEL,
  SVC_LOG_FORMAT and SVC_ADMIN_ADDR. Options win over variables, variables over
  the file. An output that a command does not have is meant for others.
  completion, help and version read none of it; "svc config" prints it.

"svc help COMMAND" tells more of a command, "svc help TOPIC" of a topic.`

// Usage is the text that --help prints and that follows a usage error. It is
// written here because templates would keep the linker from leaving out what
// the program does not use.
func Usage(c *cobra.Command) string {
	var b strings.Builder
	b.WriteString(c.Long + "\n")
	for _, s := range Sections(c) {
		b.WriteString("\n")
		if s.Title != "" {
			b.WriteString(s.Title + ":\n")
		}
		b.WriteString(s.Text + "\n")
	}
	return b.String()
}

// Section is a part of a usage, or of the text about a topic. Not all have a
// title.
type Section struct{ Title, Text string }

// Sections returns what a usage tells behind the description of the command.
func Sections(c *cobra.Command) (sections []Section) {
	add := func(title, text string) {
		if text != "" {
			sections = append(sections, Section{title, strings.TrimRight(text, "\n")})
		}
	}
	add("Usage", synopsis(c))
	add("Commands", commands(c))
	if !c.HasParent() || c.Name() == helpName {
		add("Topics", topicList())
	}
	add("Options", options(c))
	add("Examples", c.Example)
	return append(sections, splitSections(c.Annotations[annotationNotes])...)
}

// splitSections cuts a text where a section with a title begins, and where one
// ends. A title is a line like "Exit codes:" whose text stands indented below it;
// the first line that does not ends the section.
func splitSections(text string) (sections []Section) {
	title := ""
	for part := range strings.SplitSeq(text, "\n\n") {
		first, rest, _ := strings.Cut(part, "\n")
		last := len(sections) - 1
		switch {
		case part == "":
		case isTitle(first) && strings.HasPrefix(rest, "  "):
			title = strings.TrimSuffix(first, ":")
			sections = append(sections, Section{title, rest})
		case last >= 0 && (title == "" || strings.HasPrefix(part, "  ")):
			sections[last].Text += "\n\n" + part
		default:
			title = ""
			sections = append(sections, Section{"", part})
		}
	}
	return sections
}

func isTitle(line string) bool {
	return strings.HasSuffix(line, ":") && strings.Trim(line[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func synopsis(c *cobra.Command) string {
	if c.HasSubCommands() {
		return "  " + c.CommandPath() + " COMMAND [ARGUMENT...]"
	}
	parent := ""
	if c.HasParent() {
		parent = c.Parent().CommandPath() + " "
	}
	return "  " + parent + c.Use
}

func commands(c *cobra.Command) string {
	var b strings.Builder
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			b.WriteString(synopsis(sub) + "\n      " + sub.Short + "\n")
		}
	}
	return b.String()
}

func options(c *cobra.Command) string {
	const width = 80
	return c.Flags().FlagUsagesWrapped(width)
}
