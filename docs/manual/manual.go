// Package manual holds what help says: a page for each command and topic, made of
// paragraphs and lists. The program prints them; the pages and manuals in docs are made
// of the same ones. The texts are in commands.yaml and topics.yaml.
package manual

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Section is a part of a page: text, lines that are left as they are, or a list, in
// this order.
type Section struct {
	Title string // empty for none
	Text  string // see [Blocks]
	Code  string
	Items Items
}

// Item is a term and what it means, which may be empty.
type Item struct{ Term, Meaning string }

// Items is a list of terms.
type Items []Item

// UnmarshalYAML reads terms and meanings in their order.
func (l *Items) UnmarshalYAML(node *yaml.Node) error {
	for pair := range slices.Chunk(node.Content, 2) {
		*l = append(*l, Item{pair[0].Value, pair[1].Value})
	}
	return nil
}

// Page is what help says about a command besides its synopsis and its options.
type Page struct {
	Description string // see [Blocks]
	Examples    string // command lines
	Sections    []Section
	Exit        map[int]string // meanings of exit codes, where they are not the usual ones
}

var (
	//go:embed commands.yaml
	commands []byte
	//go:embed topics.yaml
	topics []byte
)

// Command returns the page of a command, which is named by its path: "svc rank".
func Command(path string) Page {
	var pages map[string]Page
	decode(commands, &pages)
	return pages[path]
}

// Topic is something that concerns several commands.
type Topic struct {
	Name  string
	Short string
	// ManualSection is the section of its manual page: 5 for files, 7 for the rest.
	ManualSection int `yaml:"manual"`
	// Commands are the paths of those that it matters most to; all if there are none.
	Commands []string
	Sections []Section
}

// Concerns reports whether a topic matters to a command. To the program, all do.
func (t *Topic) Concerns(path string) bool {
	return t.Commands == nil || path == "svc" || slices.Contains(t.Commands, path)
}

// Topics returns all topics.
func Topics() (list []Topic) {
	decode(topics, &list)
	return list
}

func decode(text []byte, pages any) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(pages); err != nil {
		panic(fmt.Sprintf("package manual: %v", err)) // a fault of the program
	}
}

// ExitCodes is the section about the exit codes.
func (p *Page) ExitCodes() Section {
	meanings := map[int]string{0: "done", 1: `failure: "service: <message>" on stderr, a line for each problem`,
		2: "usage error"}
	s := Section{Title: "Exit codes"}
	for code := range 4 {
		meaning := meanings[code]
		if own, ok := p.Exit[code]; ok {
			meaning = own
		}
		if meaning != "" {
			s.Items = append(s.Items, Item{strconv.Itoa(code), meaning})
		}
	}
	return s
}

// Block is a part of a text: a paragraph, which may be broken into other lines, or
// indented lines, which are left as they are.
type Block struct {
	Verbatim bool
	Lines    []string
}

// Blocks cuts a text at its empty lines and where indentation begins or ends.
func Blocks(text string) (blocks []Block) {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, "\n\n") {
		for i, line := range strings.Split(part, "\n") {
			line, isVerbatim := strings.CutPrefix(line, "  ")
			if last := len(blocks) - 1; i == 0 || blocks[last].Verbatim != isVerbatim {
				blocks = append(blocks, Block{Verbatim: isVerbatim})
			}
			last := &blocks[len(blocks)-1]
			last.Lines = append(last.Lines, line)
		}
	}
	return blocks
}

// indent is what lines below a title, and those that are left as they are, begin with.
const indent = "  "

// Text is a text as a terminal shows it, in lines of at most 80 columns that begin with
// a margin.
func Text(text, margin string) string {
	var b strings.Builder
	for i, block := range Blocks(text) {
		if i > 0 && !strings.HasSuffix(b.String(), ":\n") {
			b.WriteString("\n")
		}
		if !block.Verbatim {
			b.WriteString(wrap(strings.Join(block.Lines, " "), margin))
			continue
		}
		for _, line := range block.Lines {
			b.WriteString(margin + indent + line + "\n")
		}
	}
	return b.String()
}

// Body is the section without its title, as a terminal shows it.
func (s *Section) Body() string {
	margin := ""
	if s.Title != "" {
		margin = indent
	}
	body := Text(s.Text, margin)
	for line := range strings.Lines(s.Code) {
		body += indent + line
	}
	return body + s.Items.body()
}

// body lays a list out in two columns if all terms are short, else each meaning below
// its term.
func (l Items) body() string {
	const longest, gap = 22, 2
	widest := 0
	for _, i := range l {
		widest = max(widest, len(i.Term))
	}
	margin := strings.Repeat(indent, 3)
	if widest <= longest {
		margin = strings.Repeat(" ", len(indent)+widest+gap)
	}
	var b strings.Builder
	for _, i := range l {
		term, meaning := indent+i.Term, wrap(i.Meaning, margin)
		if meaning == "" || widest > longest {
			b.WriteString(term + "\n" + meaning)
		} else {
			b.WriteString(term + meaning[len(term):])
		}
	}
	return b.String()
}

// wrap breaks a text into lines of at most 80 columns that begin with a margin.
func wrap(text, margin string) string {
	const width = 80
	var b strings.Builder
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = ""
		}
		if line == "" {
			line = margin + word
		} else {
			line += " " + word
		}
	}
	if line != "" {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Print is sections as a terminal shows them, with an empty line between them.
func Print(sections []Section) string {
	var b strings.Builder
	for i := range sections {
		if i > 0 {
			b.WriteString("\n")
		}
		if title := sections[i].Title; title != "" {
			b.WriteString(title + ":\n")
		}
		b.WriteString(sections[i].Body())
	}
	return b.String()
}
