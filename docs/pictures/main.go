// Command pictures takes the pictures of the page that the documentation shows: each
// screen, wide and narrow, light and dark.
//
//	pictures URL FOLDER NAME=ADDRESS...
//
// The URL is that of a running svc explore, with a slash at the end, or of a report, an address what follows # in it.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/explore/browsertest"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: pictures URL FOLDER NAME=ADDRESS...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(url, folder string, screens []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	browser, end, err := browsertest.Start(context.Background())
	if err != nil {
		return err
	}
	defer end()
	for _, screen := range screens {
		name, address, _ := strings.Cut(screen, "=")
		for _, view := range []browsertest.View{{Width: 1280, Height: 900}, {Width: 1280, Height: 900, Dark: true}, {Width: 360, Height: 740}, {Width: 360, Height: 740, Dark: true}} {
			kind := map[bool]string{true: "dark", false: "light"}[view.Dark]
			if err := take(browser, view, url+"#/"+address, filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, view.Width, kind))); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func take(browser *browsertest.Browser, view browsertest.View, url, file string) error {
	tab, err := browser.Open(view, url)
	if err != nil {
		return err
	}
	defer tab.Close()
	if err := tab.Wait(`document.getElementById("main") && document.getElementById("main").dataset.ready && !document.querySelector(".wait")`); err != nil {
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
	return os.WriteFile(file, picture, 0o644)
}
