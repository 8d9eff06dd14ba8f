// Gen writes the pages about the commands, as Markdown and as manual pages, and
// the scripts that complete their command lines, all from the tree of commands
// itself, and a picture of what one of them prints. A test fails when what is in
// the repository is not what it writes.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd"
	"github.com/model-catalog-service/svc/docs/manual"
)

//go:generate go run . ../..

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run writes all files below the root of the repository, its only argument.
func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen ROOT")
	}
	files, err := generate(args[0])
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(args[0], filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns all files by their path in the repository, whose root has the
// examples.
func generate(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, shell := range cmd.Shells() {
		var script bytes.Buffer
		if err := cmd.WriteCompletion(&script, cmd.Root(), shell); err != nil {
			return nil, err
		}
		files["completions/"+scriptName(shell)] = script.Bytes()
	}
	addCommand(files, cmd.Root())
	for _, t := range cmd.Topics() {
		files["docs/commands/"+topicPageName(&t)] = topicPage(&t)
		files[fmt.Sprintf("docs/man/svc-%s.%d", t.Name, t.ManualSection)] = topicManual(&t)
	}
	if err := addSchemas(files); err != nil {
		return nil, err
	}
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(root, name)) }
	if err := addBundles(files, read); err != nil {
		return nil, err
	}
	if err := addArchitecture(files, root); err != nil {
		return nil, err
	}
	return files, addPicture(files, root)
}

// scriptName is what a shell expects the script to be called.
func scriptName(shell string) string {
	switch shell {
	case "zsh":
		return "_svc"
	case "powershell":
		return "svc.ps1"
	}
	return "svc." + shell
}

// addCommand adds what is about a command, and about those below it.
func addCommand(files map[string][]byte, c *cobra.Command) {
	files["docs/commands/"+pageName(c)] = page(c)
	files["docs/man/"+manualName(c)+".1"] = commandManual(c)
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			addCommand(files, sub)
		}
	}
}

func pageName(c *cobra.Command) string { return manualName(c) + ".md" }

// page is the usage of a command under its name, with links to the commands above and
// below it.
func page(c *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s.\n", c.CommandPath(), c.Short)
	b.WriteString(prose(manual.Command(c.CommandPath()).Description))
	for _, s := range cmd.Sections(c) {
		if s.Title == "" {
			b.WriteString("\n## Notes\n" + prose(s.Text))
		} else {
			b.WriteString("\n## " + s.Title + "\n\n" + fence(s.Body()))
		}
	}
	b.WriteString("\n## See also\n\n")
	link := func(name, page, short string) { fmt.Fprintf(&b, "- [%s](%s): %s\n", name, page, short) }
	if parent := c.Parent(); parent != nil {
		link(parent.CommandPath(), pageName(parent), parent.Short)
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			link(sub.CommandPath(), pageName(sub), sub.Short)
		}
	}
	for _, t := range cmd.Topics() {
		if t.Concerns(c.CommandPath()) {
			link("svc help "+t.Name, topicPageName(&t), t.Short)
		}
	}
	return b.Bytes()
}

// prose is a text with its paragraphs as those of the page.
func prose(text string) (page string) {
	for _, block := range manual.Blocks(text) {
		part := strings.Join(block.Lines, "\n") + "\n"
		if block.Verbatim {
			part = fence(part)
		}
		page += "\n" + part
	}
	return page
}

func fence(text string) string { return "```text\n" + text + "```\n" }

func topicPageName(t *manual.Topic) string { return "svc-help-" + t.Name + ".md" }

// topicPage is the text about a topic as the program prints it.
func topicPage(t *manual.Topic) []byte {
	return fmt.Appendf(nil, "# svc help %s\n\n%s.\n\n%s\n## See also\n\n- [svc](svc.md)\n", t.Name, t.Short,
		fence(manual.Print(t.Sections)))
}
