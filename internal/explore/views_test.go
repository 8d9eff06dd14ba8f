package explore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
)

// eachScreen opens every screen of an address with everything in it unfolded.
func eachScreen(t *testing.T, tab *browsertest.Tab, c *catalog.Catalog, do func(screen string)) {
	t.Helper()
	for address, screen := range addresses(c) {
		if err := tab.Go(address, screen); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		wait(t, tab, `!document.querySelector("#main .wait")`)
		if screen == "rank" {
			wait(t, tab, `document.querySelectorAll(".result").length > 3`)
		}
		eval[bool](t, tab, `(document.querySelectorAll("#main details:not(.columns)").forEach((d) => (d.open = true)), true)`)
		wait(t, tab, `[...document.querySelectorAll("#main .row .detail")].every((d) => d.firstChild)`)
		do(screen)
	}
}

// twice makes every text of the page twice as large, as browsers do that enlarge text
// alone.
const twice = `(() => {
	const all = [...document.querySelectorAll("*")];
	for (const n of all) n.style.removeProperty("font-size"); // of the screen before
	const sizes = all.map((n) => parseFloat(getComputedStyle(n).fontSize));
	all.forEach((n, i) => n.style.setProperty("font-size", 2 * sizes[i] + "px", "important"));
	return true;
})()`

// lost finds texts that are cut off, that lie on others, and what is wider than the page.
const lost = `(() => {
	const out = [];
	const name = (n) => n.tagName + "." + (n.getAttribute("class") || "") + " " + n.textContent.slice(0, 60);
	// The scope in a row of a time line is cut off, and whole in what the row opens to.
	const hidden = (n) => n.closest(".scope, .away, [hidden], svg, select, option, details:not([open]) > :not(summary), noscript") || [...document.querySelectorAll("#main thead")].some((head) => head.contains(n) && getComputedStyle(head).clipPath !== "none");
	const texts = [];
	for (const n of document.querySelectorAll("header *, main *")) {
		if (hidden(n)) continue;
		const style = getComputedStyle(n);
		const cut = [[style.overflowX, n.scrollWidth - n.clientWidth], [style.overflowY, n.scrollHeight - n.clientHeight]];
		if (n.clientWidth && cut.some(([overflow, more]) => (overflow === "hidden" || overflow === "clip") && more > 1)) out.push("cut off: " + name(n));
		const own = [...n.childNodes].filter((c) => c.nodeType === 3 && c.data.trim());
		for (const c of own) {
			const range = document.createRange();
			range.selectNodeContents(c);
			let inside = n;
			while (inside && !/auto|scroll/.test(getComputedStyle(inside).overflowY)) inside = inside.parentElement;
			const box = inside && inside.getBoundingClientRect();
			for (const r of range.getClientRects()) if (r.width > 2 && (!box || r.bottom <= box.bottom + 1 && r.top >= box.top - 1)) texts.push([r, n]);
		}
	}
	const wide = document.documentElement.scrollWidth;
	if (wide > innerWidth) out.push("the page is " + wide + " wide: " + texts.filter(([r]) => r.right > innerWidth).slice(0, 3).map(([, n]) => name(n)));
	for (let i = 0; i < texts.length; i++) {
		const [a, n] = texts[i];
		for (let k = i + 1; k < Math.min(texts.length, i + 60); k++) {
			const [b, m] = texts[k];
			const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
			const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
			if (across > 3 && down > 0.5 * Math.min(a.height, b.height)) out.push("one on the other: " + name(n) + " | " + name(m));
		}
	}
	return [...new Set(out)].slice(0, 8);
})()`

// At twice the size of text nothing is lost on any screen: by text alone, and by the zoom
// of the browser, which halves the window.
func TestTextTwiceAsLarge(t *testing.T) {
	b := start(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-02T18:00:00.000Z")
	url := serve(t, new, extras(t, old, new))
	for _, view := range []browsertest.View{desk, {Width: 640, Height: 450}} {
		tab := open(t, b, view, url+"/")
		eachScreen(t, tab, new, func(screen string) {
			if view == desk {
				eval[bool](t, tab, twice)
			}
			for _, fault := range eval[[]string](t, tab, lost) {
				t.Errorf("%s at %d: %s", screen, view.Width, fault)
			}
			clean(t, tab, screen)
		})
		tab.Close()
	}
}

// Ranges of real numbers are whole in the list: a range that is cut off says nothing.
func TestRangesAreWhole(t *testing.T) {
	b := start(t)
	tab := open(t, b, desk, serve(t, readCatalog(t, "../../examples/models/catalog.json"), explore.Extras{})+"/#/models")
	if n := eval[int](t, tab, `[...document.querySelectorAll("#main td.number")].filter((n) => n.innerText.includes("–") && n.innerText.length > 15).length`); n < 5 {
		t.Fatalf("%d long ranges", n)
	}
	for _, fault := range eval[[]string](t, tab, lost) {
		t.Error(fault)
	}
}

// Where the system sets the colours, what differs by colour still differs: by those of the
// system, or by more than colour.
func TestForcedColours(t *testing.T) {
	b := start(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-02T18:00:00.000Z")
	url := serve(t, new, extras(t, old, new))
	for _, dark := range []bool{false, true} {
		tab := open(t, b, browsertest.View{Width: 1280, Height: 900, Dark: dark, Forced: true}, url+"/")
		if !eval[bool](t, tab, `matchMedia("(forced-colors: active)").matches`) {
			t.Fatal("the browser does not force colours")
		}
		eachScreen(t, tab, new, func(screen string) {
			faults := eval[[]string](t, tab, `(() => {
				const out = [];
				const of = (n, property) => getComputedStyle(n).getPropertyValue(property);
				const back = of(document.querySelector("header"), "background-color");
				for (const a of document.querySelectorAll("#tabs a")) {
					const isHere = a.hasAttribute("aria-current"), isLined = of(a, "border-bottom-color") !== back;
					if (isHere !== isLined) out.push("the tab " + a.textContent + (isLined ? " has a line" : " has no line"));
				}
				for (const n of document.querySelectorAll("main button:not(.sort, .link), main select, main input:not([type=checkbox]):not([type=range]), main .button")) {
					const style = getComputedStyle(n);
					if (n.offsetWidth && !n.closest(".offers") && (style.borderTopStyle === "none" || style.borderTopColor === of(document.body, "background-color"))) out.push("no border: " + n.outerHTML.slice(0, 80));
				}
				const shapes = ".dot, .span rect, .size rect, .heldbar rect, .swatch, .score rect, .curve .line, .frontier, .slopes line";
				for (const n of document.querySelectorAll(shapes.split(", ").map((s) => "main " + s).join(", "))) {
					const marks = [of(n, "fill"), of(n, "stroke"), of(n, "background-color")].filter((c) => c && c !== "none" && c !== "rgba(0, 0, 0, 0)");
					if (marks.length === 0 || marks.every((c) => c === of(document.body, "background-color"))) out.push("not seen: " + n.outerHTML.slice(0, 80));
				}
				return [...new Set(out)].slice(0, 5);
			})()`)
			for _, fault := range faults {
				t.Errorf("%s, dark %t: %s", screen, dark, fault)
			}
			clean(t, tab, screen)
		})
		tab.Close()
	}
}

// On paper is what the screen says, without what a hand could press, in ink on white: heads
// of columns and addresses of evidence too. Nothing is wider than a sheet, which is 717
// pixels wide between margins. A report prints as the page does.
func TestPrint(t *testing.T) {
	b := start(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-02T18:00:00.000Z")
	e := extras(t, old, new)
	e.Requests = append(e.Requests, request(t, "../../examples/leaderboards/choice.json"))
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(report(t, new, e, explore.ReportOptions{})), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"page": serve(t, new, e) + "/", "report": "file://" + file} {
		tab := open(t, b, browsertest.View{Width: 1280, Height: 900, Dark: true}, address)
		eachScreen(t, tab, new, func(screen string) {
			where := name + ", " + screen
			heads := eval[[]string](t, tab, `[...document.querySelectorAll("#main thead th")].filter((n) => n.offsetWidth > 2 && !n.closest(".pick")).map((n) => n.innerText.replace(/[↑↓\s]+/g, " ").trim()).filter(Boolean)`)
			sheet := browsertest.View{Width: 717, Height: 1000, Dark: true, Media: "print"}
			if err := tab.Look(sheet); err != nil {
				t.Fatal(err)
			}
			text := eval[string](t, tab, `document.getElementById("main").innerText.replace(/[↑↓\s]+/g, " ")`)
			for _, head := range heads {
				if !strings.Contains(text, head) {
					t.Errorf("%s: the head %q is not printed", where, head)
				}
			}
			for _, fault := range eval[[]string](t, tab, `(() => {
				const out = [];
				const wide = document.documentElement.scrollWidth;
				if (wide > 717) out.push("a sheet would have to be " + wide + " wide");
				for (const n of document.querySelectorAll("nav, main button:not(.sort, .link), main input, main select, main textarea, main .button")) if (n.offsetWidth && n.offsetHeight) out.push("printed: " + n.outerHTML.slice(0, 90));
				for (const n of document.querySelectorAll("main .table")) if (n.scrollWidth > n.clientWidth + 1 && n.clientWidth) out.push("cut off: " + n.getAttribute("aria-label") + " " + n.scrollWidth);
				for (const a of document.querySelectorAll("main a.evidence")) if (a.offsetWidth && getComputedStyle(a, "::after").content !== JSON.stringify(" (" + a.getAttribute("href") + ")") && !getComputedStyle(a, "::after").content.includes(a.getAttribute("href"))) out.push("no address: " + a.outerHTML);
				const style = getComputedStyle(document.body);
				if (style.color !== "rgb(0, 0, 0)" || style.backgroundColor !== "rgb(255, 255, 255)") out.push(style.color + " on " + style.backgroundColor);
				const plot = document.querySelector("main .plot svg");
				if (plot && plot.getBoundingClientRect().width < 0.98 * document.getElementById("main").clientWidth) out.push("the plot is " + plot.getBoundingClientRect().width + " wide");
				return out.slice(0, 6);
			})()`) {
				t.Errorf("%s: %s", where, fault)
			}
			if screen == "model" {
				if !strings.Contains(eval[string](t, tab, `document.getElementById("main").innerText`), "sha256") {
					t.Errorf("%s: no evidence", where)
				}
				eval[bool](t, tab, `(document.querySelectorAll("#main details").forEach((d) => (d.open = false)), true)`)
				closed := eval[string](t, tab, `document.getElementById("main").innerText`)
				for _, address := range addressesOf(&new.Models()[0]) {
					if !strings.Contains(closed, address) {
						t.Errorf("%s: %s, which rows rest on that are closed, is not printed", where, address)
					}
				}
			}
			if err := tab.Look(browsertest.View{Width: 1280, Height: 900, Dark: true}); err != nil {
				t.Fatal(err)
			}
			clean(t, tab, where)
		})
		tab.Close()
	}
}

// addressesOf are the addresses of all evidence of a model.
func addressesOf(m *catalog.ModelEntry) (addresses []string) {
	for _, o := range m.Observations {
		for _, e := range o.Record().Evidence {
			addresses = append(addresses, string(e.URI))
		}
	}
	return addresses
}
