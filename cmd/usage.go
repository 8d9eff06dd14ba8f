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
  the file. help, version and completion read none of it.

"svc help COMMAND" tells more of a command.`

// usage is the text that --help prints and that follows a usage error. It is
// written here because templates would keep the linker from leaving out what
// the program does not use.
func usage(c *cobra.Command) string {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			b.WriteString("\n" + title + "\n" + strings.TrimRight(text, "\n") + "\n")
		}
	}
	b.WriteString(c.Long + "\n")
	section("Usage:", synopsis(c))
	section("Commands:", commands(c))
	section("Options:", options(c))
	section("Examples:", c.Example)
	if notes := c.Annotations[annotationNotes]; notes != "" {
		b.WriteString("\n" + notes + "\n")
	}
	return b.String()
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
