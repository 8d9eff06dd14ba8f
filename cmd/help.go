package cmd

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/docs/manual"
)

type helpOptions struct {
	about *cobra.Command
	topic *manual.Topic // nil for help about a command
}

func newHelp(run func(context.Context, helpOptions) error) *cobra.Command {
	opts := helpOptions{}
	return &cobra.Command{
		Use:   helpName + " [COMMAND | TOPIC]",
		Short: "Print help about a command or a topic",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpNames(c.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(c *cobra.Command, args []string) (err error) {
			if len(args) > 0 {
				if opts.topic = topicNamed(args[0]); opts.topic != nil {
					return option.NoArguments(c, args[1:])
				}
			}
			opts.about, err = commandNamed(c.Root(), args)
			return err
		},
		RunE: option.Run(run, &opts),
	}
}

const helpName = "help"

func (p *program) help(_ context.Context, opts helpOptions) error {
	if opts.topic != nil {
		p.Print(manual.Print(opts.topic.Sections))
	} else {
		p.Print(Usage(opts.about))
	}
	return nil
}

// commandNamed returns the command that the words name.
func commandNamed(c *cobra.Command, words []string) (*cobra.Command, error) {
	for i, word := range words {
		if !c.HasSubCommands() {
			return nil, option.NoArguments(c, words[i:])
		}
		sub := option.Subcommand(c, word)
		if sub == nil {
			return nil, option.UnknownCommand(c, word, topicNames(c)...)
		}
		c = sub
	}
	return c, nil
}

// topicNames are the topics, which are asked for where commands of the program are.
func topicNames(c *cobra.Command) (names []string) {
	if !c.HasParent() {
		for _, t := range Topics() {
			names = append(names, t.Name)
		}
	}
	return names
}

// helpNames returns the commands and topics that may come after the words, each with
// its summary.
func helpNames(root *cobra.Command, words []string) (names []string) {
	c, err := commandNamed(root, words)
	if err != nil {
		return nil
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	if c == root {
		for _, t := range Topics() {
			names = append(names, cobra.CompletionWithDesc(t.Name, t.Short))
		}
	}
	return names
}

// Usage is the text that --help prints, and that a usage error of a server begins with. It is
// written here because templates would keep the linker from leaving out what the program does not
// use.
func Usage(c *cobra.Command) string {
	page := manual.Command(c.CommandPath())
	return manual.Text(page.Description, "") + "\n" + manual.Print(Sections(c))
}

// Sections returns what a usage says after the description of the command.
func Sections(c *cobra.Command) (sections []manual.Section) {
	sections = append(sections, manual.Section{Title: "Usage", Code: brokenSynopsis(c)})
	if !c.HasParent() { // before all commands, those that answer a question
		sections = append(sections, examples(c)...)
	}
	servers := ""
	for _, g := range Groups(c) {
		s := manual.Section{Title: g.Title}
		for _, sub := range g.Commands {
			s.Items = append(s.Items, manual.Item{Term: sub.Name(), Meaning: sub.Short})
			if sub.DisableFlagParsing {
				servers += Synopsis(sub) + "\n"
			}
		}
		sections = append(sections, s)
	}
	if servers != "" {
		sections = append(sections, manual.Section{Title: "Servers", Code: servers})
	}
	if !c.HasParent() || c.Name() == helpName {
		s := manual.Section{Title: "Topics"}
		for _, t := range Topics() {
			s.Items = append(s.Items, manual.Item{Term: "svc help " + t.Name, Meaning: t.Short})
		}
		sections = append(sections, s)
	}
	const width = 80
	options := strings.ReplaceAll("\n"+c.Flags().FlagUsagesWrapped(width), "\n  ", "\n")
	sections = append(sections, manual.Section{Title: "Options", Code: options[1:]})
	if c.HasParent() {
		sections = append(sections, examples(c)...)
	}
	page := manual.Command(c.CommandPath())
	return append(append(sections, page.Sections...), page.ExitCodes())
}

// examples is the section of that name, if there are any.
func examples(c *cobra.Command) (sections []manual.Section) {
	if text := manual.Command(c.CommandPath()).Examples; text != "" {
		sections = []manual.Section{{Title: "Examples", Code: brokenExamples(text)}}
	}
	return sections
}

// Group is some of the commands below a command.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// Groups returns the commands below a command under the titles that help lists them by.
func Groups(c *cobra.Command) (groups []Group) {
	for _, g := range c.Groups() {
		groups = append(groups, Group{Title: g.Title})
	}
	if groups == nil && c.HasSubCommands() {
		groups = []Group{{Title: "Commands"}}
	}
	for _, sub := range c.Commands() {
		if i := slices.IndexFunc(groups, func(g Group) bool { return g.Title == sub.GroupID }); !sub.Hidden {
			groups[max(i, 0)].Commands = append(groups[max(i, 0)].Commands, sub)
		}
	}
	return groups
}

// Notes returns the last sections of a usage, which are made of nothing else.
func Notes(c *cobra.Command) (sections []manual.Section) {
	page := manual.Command(c.CommandPath())
	return append(append(examples(c), page.Sections...), page.ExitCodes())
}

// Synopsis is how a command is written.
func Synopsis(c *cobra.Command) string {
	switch {
	case c.HasSubCommands():
		return c.CommandPath() + " COMMAND [ARGUMENT...]"
	case c.HasParent():
		return c.Parent().CommandPath() + " " + c.Use
	}
	return c.Use
}

// brokenSynopsis is the synopsis in lines that a terminal of 80 columns has room for,
// below a title. It is broken between options, not in them; that of a server, which its
// users know to the letter, stays one line.
func brokenSynopsis(c *cobra.Command) string {
	if c.DisableFlagParsing { // a server
		return Synopsis(c) + "\n"
	}
	depth := 0
	return brokenLine(strings.FieldsFunc(Synopsis(c), func(r rune) bool {
		switch r {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		return r == ' ' && depth == 0
	}), "")
}

// brokenLine joins words in lines that fit below a title. A line that goes on ends with a
// mark.
func brokenLine(words []string, mark string) string {
	const margin = "    "
	text, line := "", ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word)+len(mark) > roomBelowTitle:
			text += line + mark + "\n"
			line = margin + word
		default:
			line += " " + word
		}
	}
	return text + line + "\n"
}

// roomBelowTitle is how many columns of 80 there are below a title.
const roomBelowTitle = 78

// exampleWords are the parts of a command line between which it can be broken: an option
// with its value, a pipe with what follows it, any other word.
var exampleWords = regexp.MustCompile(`[|] \S+ \S+|(?:--?[a-z][-a-z]*|>) (?:"[^"]*"|[^- ]\S*)|"[^"]*"|\S+`)

// brokenExamples breaks command lines that are too long for a terminal of 80 columns, as
// a shell reads them.
func brokenExamples(examples string) string {
	var b strings.Builder
	for example := range strings.Lines(examples + "\n") {
		if len(example) > roomBelowTitle+1 { // with its end
			example = brokenLine(exampleWords.FindAllString(example, -1), " \\")
		}
		b.WriteString(example)
	}
	return b.String()
}

// shortSynopsis is the synopsis without the options that may be left out.
func shortSynopsis(c *cobra.Command) string {
	full := Synopsis(c)
	short := optional.ReplaceAllString(full, "")
	if short == full {
		return full
	}
	return short + " [OPTION...]"
}

var optional = regexp.MustCompile(` \[-[^\]]*\](\.\.\.)?`)

// Topics returns all topics.
func Topics() []manual.Topic {
	topics := manual.Topics()
	for i := range topics {
		if t := &topics[i]; t.Name == "environment" {
			t.Sections = append(t.Sections, manual.Section{Title: "Variables", Items: Variables(nil)})
		}
	}
	return topics
}

// topicNamed returns the topic of a name, or nil.
func topicNamed(name string) *manual.Topic {
	for _, t := range Topics() {
		if t.Name == name {
			return &t
		}
	}
	return nil
}

// Variables returns the environment variables that a command reads; for the program,
// and for no command, all.
func Variables(c *cobra.Command) (read manual.Items) {
	add := func(name, meaning string, isReader func(*cobra.Command) bool) {
		if c == nil || !c.HasParent() || isReader(c) {
			read = append(read, manual.Item{Term: name, Meaning: meaning})
		}
	}
	add("SVC_CONFIG", "the configuration file, in place of svc/config.yaml in your configuration directory", readsConfig)
	add(configHome, "where your configuration directory is: the first, or .config in the second; on macOS "+
		"Library/Application Support in the second; on Windows the third", readsConfig)
	for _, k := range config.Keys() {
		about := k.About
		if k.Default != "" {
			about += " (default " + k.Default + ")"
		}
		add(k.Variable(), about, readsKey(k.Name))
	}
	add("NO_COLOR", "if it is not empty: no colour, unless --color says always", hasColor)
	add("TERM", "if it is dumb: no colour, unless --color says always, and no progress bar", hasColor)
	add("LISTEN_PID, LISTEN_FDS", "the socket that a service manager hands over, in place of --host and --port: "+
		"sd_listen_fds(3)", isServer)
	add("NOTIFY_SOCKET", "where svc tells a service manager that the port answers: sd_notify(3)", isServer)
	add("HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy to ask an endpoint through, and the hosts to ask without one; "+
		"also in lower case", isCalled("verify"))
	add("SSL_CERT_FILE, SSL_CERT_DIR", "where the trusted certificates are, in place of those of the system (not on "+
		"macOS and Windows)", isCalled("verify", "fetch"))
	add("PGPASSWORD, PGPASSFILE, PGSERVICEFILE, ...", "passwords and other parameters for PostgreSQL, by the names that "+
		"libpq gives them", isCalled("verify-serve", "verify-load"))
	add("GOMAXPROCS, GOMEMLIMIT", "how many processors and how much memory to use, as the Go runtime reads them",
		(*cobra.Command).Runnable)
	add("GOGC", fmt.Sprintf("how far the heap may grow before garbage is collected, in percent (default %d)", heapOfFiles),
		isCalled("compile", "validate"))
	add(summaryVariable, "the file to which --output github appends a table of findings", isCalled("check"))
	add("SVC_COMPLETION_DESCRIPTIONS", "if it is false: completions come without descriptions", isCalled("completion"))
	return read
}

// configHome are the variables that os.UserConfigDir looks at.
const configHome = "XDG_CONFIG_HOME, HOME, AppData"

// readsKey returns a function that reports whether a command reads a key of the
// configuration: for its option of that name, or because it is about servers.
func readsKey(name string) func(*cobra.Command) bool {
	switch group, _, isGrouped := strings.Cut(name, "."); {
	case group == "serve" || group == "verify-serve":
		return isCalled(group)
	case group == "registry":
		return func(c *cobra.Command) bool {
			return isCalled("attest", "diff", "pull", "push", "validate")(c) || c.Flags().Lookup("catalog") != nil
		}
	case group == "trust":
		return isCalled("rank", "check", "serve", "mcp", "explore")
	case isGrouped:
		return isServer
	}
	return func(c *cobra.Command) bool { return readsConfig(c) && c.Flags().Lookup(name) != nil }
}

func isServer(c *cobra.Command) bool { return isCalled("serve", "verify-serve", "mcp")(c) }

func hasColor(c *cobra.Command) bool { return c.Flags().Lookup("color") != nil }

func isCalled(names ...string) func(*cobra.Command) bool {
	return func(c *cobra.Command) bool { return slices.Contains(names, c.Name()) }
}
