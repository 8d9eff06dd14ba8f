// Command pictures takes the pictures of the page that the documentation shows: each
// screen, wide in the light and narrow in the dark.
//
//	go run ./docs/pictures
//
// It shows the example of real models, so that it needs no file but those of the
// repository. Browsers and fonts differ, so that nothing holds the pictures against the
// page but whoever looks at them in a review. With a URL of a running svc explore, or of a
// report, it takes the pictures of that, in a folder of yours:
//
//	go run ./docs/pictures URL FOLDER NAME=ADDRESS...
//
// An address is what follows # in the page's.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

func main() {
	err := errors.New("usage: pictures [URL FOLDER NAME=ADDRESS...]")
	switch {
	case len(os.Args) == 1:
		err = takeExample(context.Background())
	case len(os.Args) > 3:
		err = take(context.Background(), os.Args[1], os.Args[2], os.Args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// takeExample takes the pictures of the documentation.
func takeExample(ctx context.Context) error {
	handler, model, other, err := example(ctx)
	if err != nil {
		return err
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	return take(ctx, server.URL+"/", "docs/pictures", []string{
		"models=/models?where=lte:0.000005:price.output&sort=price.output",
		"model=/model/" + model,
		"evidence=/model/" + model + "?k=price.output",
		"compare=/compare?models=" + model + "," + other,
		"plot=/plot",
		"rank=/rank?request=coding-agent.json",
		"changes=/changes",
	})
}

// example serves the models of July, after a day on which not all was known yet, and
// names two of their models.
func example(ctx context.Context) (h http.Handler, model, other string, err error) {
	const folder, name = "examples/models", "coding-agent.json"
	text, err := os.ReadFile(filepath.Join(folder, "catalog.json"))
	if err != nil {
		return nil, "", "", err
	}
	newer, err := catalog.Parse(ctx, problem.Source{Name: "catalog.json", Text: string(text)})
	if err != nil {
		return nil, "", "", err
	}
	var before []string
	for _, m := range newer.Models() {
		for i, o := range m.Observations {
			const some = 9 // one in nine came since
			if i%some != 0 {
				before = append(before, o.Input())
			}
		}
	}
	older, _, err := catalog.Compile(ctx, before, catalog.Options{AsOf: "2026-07-05T12:00:00.000Z"})
	if err != nil {
		return nil, "", "", err
	}
	if text, err = os.ReadFile(filepath.Join(folder, name)); err != nil {
		return nil, "", "", err
	}
	request, err := v3.ReadRequest(problem.Source{Name: name, Text: string(text)})
	if err != nil {
		return nil, "", "", err
	}
	catalogs := []*catalog.Catalog{older, newer}
	var sides []*ranking.Side
	for _, c := range catalogs {
		side, err := ranking.NewSide(ctx, c, request)
		if err != nil {
			return nil, "", "", err
		}
		sides = append(sides, side)
	}
	diff, err := ranking.Diff(ctx, sides[0], sides[1], compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		return nil, "", "", err
	}
	api, err := httpapi.NewHandler(catalogs[1], httpapi.Options{})
	if err != nil {
		return nil, "", "", err
	}
	h, err = explore.NewHandler(api, api.Ranker(), explore.Extras{Diff: diff, Requests: []explore.Request{{Name: name,
		Request: request}}, CatalogFile: "catalog.json"})
	for _, m := range catalogs[1].Models() {
		switch m.Identity.ID {
		case "zhipuai/glm-5":
			model = m.Key
		case "openai/gpt-5.4-mini":
			other = m.Key
		}
	}
	return h, model, other, err
}

func take(ctx context.Context, url, folder string, screens []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	browser, end, err := browsertest.Start(ctx)
	if err != nil {
		return err
	}
	defer end()
	for _, screen := range screens {
		name, address, _ := strings.Cut(screen, "=")
		for kind, view := range map[string]browsertest.View{
			"1280-light": {Width: 1280, Height: 900},
			"360-dark":   {Width: 360, Height: 740, Dark: true},
		} {
			if err := takeOne(browser, view, url+"#"+address, filepath.Join(folder, name+"-"+kind+".png")); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func takeOne(browser *browsertest.Browser, view browsertest.View, url, file string) error {
	tab, err := browser.Open(view, url)
	if err != nil {
		return err
	}
	defer tab.Close()
	if err := tab.Wait(`document.getElementById("main") && document.getElementById("main").dataset.ready && ` +
		`!document.querySelector(".wait")`); err != nil {
		return err
	}
	const settled = 400 * time.Millisecond // an answer that a screen asks for late
	time.Sleep(settled)
	for _, fault := range tab.Faults() {
		fmt.Fprintln(os.Stderr, file+":", fault)
	}
	picture, err := tab.Picture()
	if err != nil {
		return err
	}
	if picture, err = small(picture); err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o644)
}

// small gives a picture at most 64 colours: those that it has most of, and those that are
// unlike these. A page is paper and ink, and a few marks whose colour means something.
func small(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	bounds := from.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	const common, colours = 40, 64
	var palette color.Palette
	for _, c := range most {
		if len(palette) < common || len(palette) < colours && isUnlike(c, palette.Convert(c).(color.RGBA)) {
			palette = append(palette, c)
		}
	}
	near := map[color.RGBA]uint8{}
	for c := range counts {
		near[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, near[at(x, y)])
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&b, out)
	return b.Bytes(), err
}

// isUnlike reports whether one sees that a colour is another.
func isUnlike(a, b color.RGBA) bool {
	const least = 40
	distance := 0
	for _, d := range [...]int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
		distance += d * d
	}
	return distance > least*least
}
