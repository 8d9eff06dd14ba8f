package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/cmd"
)

// addPicture adds the ranked table of the examples as a terminal shows it.
func addPicture(files map[string][]byte, root string) error {
	request, catalog := path.Join(root, "examples/fix-issues.json"), path.Join(root, "examples/catalog.json")
	args := []string{"rank", "--catalog", catalog, "--output", "table", "--color", "always", request}
	var stdout, stderr bytes.Buffer
	if code := cmd.Main(args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		return fmt.Errorf("svc rank: exit code %d: %s", code, stderr.String())
	}
	fromRoot := func(text string) string { return strings.ReplaceAll(text, root+"/", "") }
	screen := "$ svc rank --catalog " + fromRoot(catalog) + " " + fromRoot(request) + "\n" + fromRoot(stdout.String())
	picture, err := terminalSVG("svc rank in a terminal",
		"The table that the command prints: ranked candidates with their scores and why, below them the excluded ones and "+
			"why not.", screen)
	files["docs/ranked-table.svg"] = picture
	return err
}

// The cells of a terminal, in pixels.
const (
	cellWidth  = 7.25
	cellHeight = 18
	padding    = 16
)

// terminalSVG draws what a terminal would show of a text with colour codes, as
// text that can be selected. Each run of it is as wide as its columns, whatever
// the font; a run ends where the colour changes or a column of the table does.
func terminalSVG(title, description, screen string) ([]byte, error) {
	lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	var body bytes.Buffer
	widest := 0
	style := ""
	for n, line := range lines {
		column := 0
		for line != "" {
			if code, rest, ok := cutCode(line); ok {
				next, known := styles[code]
				if !known {
					return nil, fmt.Errorf("the colour code %q is not known", code)
				}
				style, line = next, rest
				continue
			}
			text := line[:runEnd(line)]
			line = line[len(text):]
			if words := strings.TrimLeft(text, " "); words != "" {
				drawRun(&body, column+len(text)-len(words), n, style, strings.TrimRight(words, " "))
			}
			column += utf8.RuneCountInString(text)
		}
		widest = max(widest, column)
	}
	width, height := 2*padding+float64(widest)*cellWidth, 2*padding+len(lines)*cellHeight
	return fmt.Appendf(nil, terminalForm, width, height, width, height,
		html.EscapeString(title), html.EscapeString(description), width-1, height-1, body.String()), nil
}

//go:embed terminal.svg.form
var terminalForm string

// styles are the classes of the picture by the codes of the terminal.
var styles = map[string]string{"0": "", "22": "", "1": "heading", "2": "faint", "36": "bar"}

// cutCode cuts a colour code off the beginning of a line.
func cutCode(line string) (code, rest string, ok bool) {
	if line, ok = strings.CutPrefix(line, "\x1b["); !ok {
		return "", "", false
	}
	return strings.Cut(line, "m")
}

// runEnd is where the first run of a line ends: before a colour code, or behind
// two spaces or more, which part the columns.
func runEnd(line string) int {
	end := len(line)
	if i := strings.IndexByte(line, '\x1b'); i >= 0 {
		end = i
	}
	words := len(line) - len(strings.TrimLeft(line, " "))
	if i := strings.Index(line[words:], "  "); i >= 0 {
		end = min(end, words+i+2)
	}
	return end
}

func drawRun(b *bytes.Buffer, column, line int, style, text string) {
	if style != "" {
		style = ` class="` + style + `"`
	}
	fmt.Fprintf(b, "<text%s x=\"%g\" y=\"%d\" textLength=\"%g\" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n", style,
		padding+float64(column)*cellWidth, padding+line*cellHeight+13, float64(utf8.RuneCountInString(text))*cellWidth,
		html.EscapeString(text))
}
