package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/parser"
	"go/token"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// room is a row of the table of rooms in docs/architecture.md.
type room struct {
	name    string
	promise string
	floor   int
	online  bool // it may touch files, processes or the network

	x, y int // of its box
}

const module = "github.com/model-catalog-service/svc"

var roomRow = regexp.MustCompile("(?m)^\\| ([0-9]+) \\| `([^`]+)`( ◆)? \\| (.+) \\|$")

// readRooms returns the rooms that the page about the architecture lists.
func readRooms(root string) ([]*room, error) {
	page, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		return nil, err
	}
	var rooms []*room
	for _, row := range roomRow.FindAllStringSubmatch(string(page), -1) {
		floor, err := strconv.Atoi(row[1])
		if err != nil {
			return nil, err
		}
		rooms = append(rooms, &room{name: row[2], promise: strings.ReplaceAll(row[4], "`", ""), floor: floor,
			online: row[3] != ""})
	}
	if rooms == nil {
		return nil, fmt.Errorf("docs/architecture.md lists no rooms")
	}
	return rooms, nil
}

// roomOf returns the room that a folder belongs to, the innermost one, nil for none.
func roomOf(rooms []*room, folder string) (innermost *room) {
	for _, r := range rooms {
		if folder != r.name && !strings.HasPrefix(folder, r.name+"/") {
			continue
		}
		if innermost == nil || len(r.name) > len(innermost.name) {
			innermost = r
		}
	}
	return innermost
}

// readImports returns which rooms use which, as far as no other room leads there.
func readImports(root string, rooms []*room) (map[*room][]*room, error) {
	uses := map[*room]map[*room]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		from := roomOf(rooms, path.Dir(filepath.ToSlash(relative)))
		if from == nil {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
			if to := roomOf(rooms, imported); ours && to != nil && to != from {
				if uses[from] == nil {
					uses[from] = map[*room]bool{}
				}
				uses[from][to] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var reaches func(from, to *room) bool
	reaches = func(from, to *room) bool {
		for next := range uses[from] {
			if next == to || reaches(next, to) {
				return true
			}
		}
		return false
	}
	arrows := map[*room][]*room{}
	for _, from := range rooms {
		for _, to := range rooms {
			follows := false
			for next := range uses[from] {
				follows = follows || reaches(next, to)
			}
			if uses[from][to] && !follows {
				arrows[from] = append(arrows[from], to)
			}
		}
	}
	return arrows, nil
}

const (
	roomWidth, roomHeight = 216, 92
	roomGap, floorGap     = 16, 44
	margin                = 24
	pictureWidth          = 960
)

// addArchitecture adds the picture of the rooms.
func addArchitecture(files map[string][]byte, root string) error {
	rooms, err := readRooms(root)
	if err != nil {
		return err
	}
	rooms = slices.DeleteFunc(rooms, func(r *room) bool { return strings.HasSuffix(r.name, "test") })
	arrows, err := readImports(root, rooms)
	if err != nil {
		return err
	}
	height := placeRooms(rooms)
	var b bytes.Buffer
	var told []string
	for _, from := range rooms {
		for _, to := range arrows[from] {
			drawArrow(&b, from, to)
			told = append(told, from.name+" uses "+to.name)
		}
	}
	for _, r := range rooms {
		drawRoom(&b, r)
	}
	files["docs/architecture.svg"] = fmt.Appendf(nil, architectureForm, pictureWidth, height, pictureWidth, height,
		strings.Join(told, ", "), pictureWidth-1, height-1, pictureWidth-margin, b.String())
	return nil
}

// placeRooms gives each room its box, the highest floor on top, a floor in rows of
// four, each row in the middle. It returns the height of the picture.
func placeRooms(rooms []*room) (height int) {
	const perRow = 4
	y := margin + 28
	for floor := rooms[0].floor; floor > 0; floor-- {
		var here []*room
		for _, r := range rooms {
			if r.floor == floor {
				here = append(here, r)
			}
		}
		for row := range slices.Chunk(here, perRow) {
			x := (pictureWidth - len(row)*roomWidth - (len(row)-1)*roomGap) / 2
			for _, r := range row {
				r.x, r.y = x, y
				x += roomWidth + roomGap
			}
			y += roomHeight + roomGap
		}
		y += floorGap - roomGap
	}
	return y - floorGap + margin
}

// drawArrow draws an arrow from the lower edge of a room to the upper one of
// another, ending where the two are nearest.
func drawArrow(b *bytes.Buffer, from, to *room) {
	const inset = 40
	middle := func(r *room) int { return r.x + roomWidth/2 }
	start := max(from.x+inset, min(middle(to), from.x+roomWidth-inset))
	end := max(to.x+inset, min(middle(from), to.x+roomWidth-inset))
	top, bottom := from.y+roomHeight, to.y
	bend := (bottom - top) / 2
	fmt.Fprintf(b, "<path class=\"arrow\" data-from=\"%s\" data-to=\"%s\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n",
		from.name, to.name, start, top, start, top+bend, end, bottom-bend, end, bottom-1)
}

func drawRoom(b *bytes.Buffer, r *room) {
	class := "room"
	if r.online {
		class = "room online"
	}
	fmt.Fprintf(b, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", class, r.x, r.y,
		roomWidth, roomHeight)
	fmt.Fprintf(b, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", r.x+12, r.y+21, r.name)
	for i, line := range wrapText(r.promise, 32) {
		if i == 4 {
			break
		}
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">%s</text>\n", r.x+12, r.y+38+15*i, html.EscapeString(line))
	}
}

// wrapText breaks a text into lines of at most so many characters.
func wrapText(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

//go:embed architecture.svg.form
var architectureForm string
