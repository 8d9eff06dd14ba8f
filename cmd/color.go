package cmd

import (
	"io"
	"os"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// What --color may be.
const (
	colorAuto   = "auto" // on a terminal
	colorAlways = "always"
	colorNever  = "never"
)

// screen is what is known of the places where stdout and stderr lead.
type screen struct {
	stdoutTerminal, stderrTerminal bool
	onStdout, onStderr             palette
}

func newScreen(stdout, stderr io.Writer) screen {
	return screen{stdoutTerminal: isTerminal(stdout), stderrTerminal: isTerminal(stderr)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// paint decides on the colours of both streams, each for itself: the library
// would look at stdout alone.
func (s *screen) paint(when string) {
	s.onStdout = newPalette(wantColor(when, s.stdoutTerminal))
	s.onStderr = newPalette(wantColor(when, s.stderrTerminal))
}

func wantColor(when string, terminal bool) bool {
	switch when {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// palette is the colours of one stream by what they say.
type palette struct {
	heading, good, bad, bar, faint *color.Color
}

func newPalette(on bool) palette {
	style := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return palette{
		heading: style(color.Bold),
		good:    style(color.FgGreen),
		bad:     style(color.FgRed, color.Bold),
		bar:     style(color.FgCyan),
		faint:   style(color.Faint),
	}
}
