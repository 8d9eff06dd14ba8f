// Command page opens the page of a running svc explore in Chromium and prints how long
// people wait for it, as a table in Markdown: until the list of models is on the screen,
// until a typed word filters it, until the first points of a plot are drawn, and the
// longest task that kept the main thread from anything else meanwhile.
//
//	generate -n 35000 | svc compile - --as-of 2026-12-01 -o catalog.json
//	svc explore --catalog catalog.json &
//	page http://127.0.0.1:4246
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/explore/browsertest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: page URL")
		os.Exit(2)
	}
	if err := run(strings.TrimRight(os.Args[1], "/")); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// observe keeps the longest task of the main thread.
const observe = `(window.longest = 0, new PerformanceObserver((list) => {
	for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
}).observe({ type: "longtask", buffered: true }), true)`

// until resolves with the milliseconds from an act until a condition is true.
func until(act, condition string) string {
	return fmt.Sprintf(`new Promise((done) => {
		const begin = performance.now();
		const look = () => (%s) ? done(performance.now() - begin) : setTimeout(look, 4);
		%s;
		setTimeout(look, 0);
	})`, condition, act)
}

func run(url string) error {
	browser, end, err := browsertest.Start(context.Background())
	if err != nil {
		return err
	}
	defer end()
	const rounds = 5
	took := map[string][]float64{}
	steps := []string{"the list is on the screen", "a typed word filters it", "the first points are drawn",
		"the longest task until then"}
	for range rounds {
		list, more, err := one(browser, url)
		if err != nil {
			return err
		}
		for i, ms := range append([]float64{list}, more...) {
			took[steps[i]] = append(took[steps[i]], ms)
		}
	}
	fmt.Printf("| medians of %d rounds | ms |\n|---|--:|\n", rounds)
	for _, step := range steps {
		slices.Sort(took[step])
		fmt.Printf("| %s | %.0f |\n", step, took[step][rounds/2])
	}
	return nil
}

// one opens the page once.
func one(browser *browsertest.Browser, url string) (list float64, more []float64, err error) {
	begin := time.Now()
	tab, err := browser.Open(browsertest.View{Width: 1280, Height: 900}, url+"/#/models")
	if err != nil {
		return 0, nil, err
	}
	defer tab.Close()
	if err := tab.Wait(`document.querySelector(".screen-models tbody tr")`); err != nil {
		return 0, nil, err
	}
	list = float64(time.Since(begin).Milliseconds())
	if _, err := browsertest.Eval[bool](tab, observe); err != nil {
		return 0, nil, err
	}
	for _, script := range []string{
		until(
			`document.getElementById("search").value = "a", document.getElementById("search").dispatchEvent(new Event("input"))`,
			`document.querySelector(".found").textContent.includes("match")`),
		until(`location.hash = "#/plot"`, `document.querySelector("a.hit")`),
		`window.longest`,
	} {
		ms, err := browsertest.Eval[float64](tab, script)
		if err != nil {
			return 0, nil, err
		}
		more = append(more, ms)
	}
	return list, more, nil
}
