package cmd

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// page is a page of documentation with the commands in it.
type page struct {
	name     string
	lines    []string
	commands []pageCommand
	files    string          // the files that it shows, as an archive of testscript
	leftOut  map[string]bool // the blocks that are not run, by how notRun says that they begin
	faults   []string        // the commands that nobody runs
	ports    *strings.Replacer
}

// pageCommand is a command and where its output stands.
type pageCommand struct {
	line     string
	shown    bool // the page shows the output
	pasted   bool // it is in an sh block, and no text block with its output has followed
	indent   string
	from, to int // the lines of the output
	got      string
	differs  bool
}

// readPages reads all pages that are written by hand.
func readPages(t *testing.T) map[string]*page {
	t.Helper()
	pages := map[string]*page{}
	tree := os.DirFS("..")
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := name != "." && strings.HasPrefix(d.Name(), ".")
			if hidden || d.Name() == "testdata" || name == "docs/commands" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		p := &page{name: name, lines: strings.Split(string(text), "\n"), leftOut: map[string]bool{}}
		p.readBlocks(t)
		pages[name] = p
		return nil
	})
	if err != nil || len(pages) < 15 {
		t.Fatalf("found %d pages, %v", len(pages), err)
	}
	return pages
}

// readBlocks finds the commands. One outside of the blocks for commands is a
// fault, as nobody would run it.
func (p *page) readBlocks(t *testing.T) {
	stray := regexp.MustCompile(`^(    .*)?(\$ |(\$ )?(svc|curl|openssl|go (run|test|install)) )`)
	for i := 0; i < len(p.lines); i++ {
		indented := strings.TrimLeft(p.lines[i], " ")
		indent := p.lines[i][:len(p.lines[i])-len(indented)]
		kind, fence := strings.CutPrefix(indented, "```")
		if !fence {
			if strings.HasPrefix(indent, "    ") && stray.MatchString(indented) {
				p.fault(i, "a command outside of the blocks for commands")
			}
			continue
		}
		from := i + 1
		for i++; i < len(p.lines) && p.lines[i] != indent+"```"; i++ {
			// TestWorkflow and TestRefreshingWorkflow run what YAML blocks say, TestRefreshing
			// refresh.sh.
			if kind != "sh" && kind != "sh refresh.sh" && kind != "console" && kind != "yaml" && stray.MatchString(strings.TrimPrefix(p.lines[i], indent)) {
				p.fault(i, "a command in a block of another kind")
			}
		}
		if i == len(p.lines) {
			t.Fatalf("%s:%d: the block does not end", p.name, from)
		}
		if _, name, isFile := strings.Cut(kind, " "); isFile {
			p.files += "-- " + name + " --\n" + strings.Join(p.lines[from:i], "\n") + "\n"
		}
		p.readBlock(t, kind, indent, from, i)
	}
}

func (p *page) fault(line int, what string) {
	p.faults = append(p.faults, fmt.Sprintf("%s:%d: %s", p.name, line+1, what))
}

func (p *page) readBlock(t *testing.T, kind, indent string, from, to int) {
	if kind == "text" && len(p.commands) > 0 {
		// The first text after an sh block is what its command prints.
		if c := &p.commands[len(p.commands)-1]; c.pasted {
			c.shown, c.pasted, c.indent, c.from, c.to = true, false, indent, from, to
		}
		return
	}
	if kind != "console" && kind != "sh" || from == to {
		return
	}
	begin := strings.TrimPrefix(p.lines[from], indent)
	for _, b := range notRun {
		if b.page == p.name && strings.HasPrefix(begin, b.begins) {
			p.leftOut[b.begins] = true
			return
		}
	}
	if kind == "sh" {
		if !strings.HasPrefix(begin, "go run . ") {
			p.fault(from, "is run by nobody: make it a console block with the output, or list it")
			return
		}
		p.commands = append(p.commands, pageCommand{line: strings.ReplaceAll(begin, "go run . ", "svc "), pasted: true})
		return
	}
	for i := from; i < to; {
		line, ok := strings.CutPrefix(p.lines[i], indent+"$ ")
		if !ok {
			t.Fatalf("%s:%d: output without a command", p.name, i+1)
		}
		for i++; i < to && strings.HasSuffix(line, "\\"); i++ {
			line += "\n" + strings.TrimPrefix(p.lines[i], indent)
		}
		c := pageCommand{line: line, shown: true, indent: indent, from: i}
		for i < to && !strings.HasPrefix(p.lines[i], indent+"$ ") {
			i++
		}
		c.to = i
		p.commands = append(p.commands, c)
	}
}

// output is what the page says that a command prints.
func (p *page) output(c *pageCommand) string {
	var b strings.Builder
	for _, line := range p.lines[c.from:c.to] {
		b.WriteString(strings.TrimPrefix(line, c.indent) + "\n")
	}
	return b.String()
}

// picksLines is the end of a command that shows some lines of an output.
var picksLines = regexp.MustCompile(`\| (grep|head|tail|cut) [^|>]*$`)

// hold holds what a command printed against what the page says.
func (p *page) hold(ts *testscript.TestScript, c *pageCommand, got string) {
	got = p.ports.Replace(got)
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if c.shown && got == "" && picksLines.MatchString(c.line) { // which -update would keep
		ts.Fatalf("$ %s\nfinds nothing any more", c.line)
	}
	if !c.shown || constant(got) == constant(p.output(c)) {
		return
	}
	if c.got, c.differs = got, true; !*update {
		ts.Fatalf("$ %s\nprints\n%s\n%s says\n%s", c.line, got, p.name, p.output(c))
	}
}

// write puts what the commands printed into the page.
func (p *page) write() error {
	changed := false
	for _, c := range slices.Backward(p.commands) {
		if !c.differs {
			continue
		}
		changed = true
		var lines []string
		for line := range strings.Lines(c.got) {
			lines = append(lines, strings.TrimRight(c.indent+strings.TrimSuffix(line, "\n"), " "))
		}
		p.lines = slices.Replace(p.lines, c.from, c.to, lines...)
	}
	if !changed {
		return nil
	}
	return os.WriteFile(filepath.Join("..", filepath.FromSlash(p.name)), []byte(strings.Join(p.lines, "\n")), 0o644)
}

const marker = "=== next command ===\n"

// shellScript runs the commands one after the other, each behind a marker, with
// standard error where standard output goes. Of one in the background it awaits
// the first line.
func (p *page) shellScript(t *testing.T) string {
	var b strings.Builder
	b.WriteString("exec 2>&1\ntrap 'kill $! 2>/dev/null' EXIT\n")
	for i, c := range p.commands {
		fmt.Fprintf(&b, "printf '%s'\n", strings.ReplaceAll(marker, "\n", `\n`))
		if line, background := strings.CutSuffix(c.line, "&"); background {
			fmt.Fprintf(&b, ">out%d 2>&1 %s &\n", i, line)
			fmt.Fprintf(&b, "n=0; until [ -s out%d ] || [ $n = 200 ]; do sleep 0.1; n=$((n+1)); done; cat out%d\n", i, i)
		} else {
			b.WriteString(c.line + "\n")
		}
	}
	b.WriteString("exit 0\n")
	return p.movePorts(t, b.String())
}

// movePorts gives the ports that pages speak of other numbers, so that pages can
// run at the same time and beside whatever else listens.
func (p *page) movePorts(t *testing.T, script string) string {
	var there, back []string
	for _, port := range []string{"4244", "4245", "4246", "4247", "9090"} {
		free := freePort(t)
		there = append(there, ":"+port, ":"+free, "--port "+port, "--port "+free)
		back = append(back, ":"+free, ":"+port)
	}
	p.ports = strings.NewReplacer(back...)
	return strings.NewReplacer(there...).Replace(script)
}

// constant takes out what is not the same every time: how long something took,
// when a line was logged, and which key signed.
func constant(output string) string {
	output = regexp.MustCompile(`(?m)^(time +).*$`).ReplaceAllString(output, "$1")
	output = regexp.MustCompile(`(?m)^time=\S+`).ReplaceAllString(output, "")
	output = regexp.MustCompile(`(?m)^[0-9a-f]{64}(  -)$`).ReplaceAllString(output, "$1")
	output = regexp.MustCompile(`(Statuses as of |an answer of )\S+?(,? )`).ReplaceAllString(output, "$1$2")
	output = regexp.MustCompile(`"answers":\[\{"ageSeconds":-?\d+,"digest":"sha256:[0-9a-f]{64}"`).ReplaceAllString(output, "")
	return regexp.MustCompile(`(signed by |"keyId":")SHA256:[A-Za-z0-9+/]{43}`).ReplaceAllString(output, "$1")
}

// freePort returns a port that nothing listens on, below those that systems give to
// whoever asks for any.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
}
