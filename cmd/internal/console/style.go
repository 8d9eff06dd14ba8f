package console

import (
	"os"

	"github.com/fatih/color"
)

// When there is colour.
const (
	ColorAuto   = "auto" // on a terminal
	ColorAlways = "always"
	ColorNever  = "never"
)

// Style is the colours of one stream, by what they say.
type Style struct {
	Heading, Good, Bad, Bar, Faint *color.Color
}

// Paint decides on the colours of both streams, each by itself: the library would
// look at standard output alone.
func (c *Console) Paint(when string) {
	c.Out = newStyle(wantsColor(when, c.outTerminal))
	c.Err = newStyle(wantsColor(when, c.errTerminal))
}

func wantsColor(when string, terminal bool) bool {
	switch when {
	case ColorAlways:
		return true
	case ColorNever:
		return false
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func newStyle(on bool) Style {
	paint := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return Style{
		Heading: paint(color.Bold),
		Good:    paint(color.FgGreen),
		Bad:     paint(color.FgRed, color.Bold),
		Bar:     paint(color.FgCyan),
		Faint:   paint(color.Faint),
	}
}
