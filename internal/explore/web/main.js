// The page: its head, its tabs, and which screen the address names. The same script is the
// worker that reads the catalog.
import { allIn, hasFocus, byId, h, button, once, terms, put, append } from "./dom.js";
import { at, to } from "./address.js";
import { day, numberText } from "./text.js";
import { open, state } from "./source.js";
import { work } from "./worker.js";
import { models } from "./models.js";
import { model } from "./model.js";
import { compare } from "./compare.js";
import { plot } from "./plot.js";
import { rank } from "./rank.js";
import { changes } from "./changes.js";
import { sources } from "./sources.js";
import { failure } from "./failure.js";

const screens = { __proto__: null, models, model, compare, plot, rank, sources, changes };
const titles = { models: "Models", plot: "Plot", rank: "Answer", sources: "Sources", changes: "Changes" };

if (typeof document === "undefined") work();
else start(document.currentScript);

function start(script) {
  const main = byId("main");
  const missing = ["DecompressionStream", "Worker", "CompressionStream"].filter((name) => !globalThis[name]);
  if (missing.length) {
    put(main, h("p.notice", "This page needs a browser of 2023 or later: yours lacks " + missing.join(", ") + "."));
    return;
  }
  const source = script.src || URL.createObjectURL(new Blob([script.textContent], { type: "text/javascript" }));
  const begin = async () => {
    const wait = h("p.wait.soft", { role: "status" }, "Reading the catalog");
    put(main, wait);
    try {
      await open(
        source,
        (bytes) => (wait.textContent = `Reading the catalog, ${numberText(Math.round(bytes / 1e5) / 10)} MB so far`),
      );
    } catch (error) {
      put(main, failure(error, begin));
      return;
    }
    drawHead();
    addEventListener("hashchange", () => show(main, true));
    // Back leads to the place that was left.
    history.scrollRestoration = "manual";
    addEventListener(
      "scroll",
      once(() => history.replaceState({ ...history.state, y: scrollY }, ""), 120),
    );
    show(main, false);
  };
  addEventListener("keydown", keys);
  state.onother = other;
  begin();
}

function drawHead() {
  const skip = h(
    "a.skip",
    {
      href: "#main",
      onclick: (event) => {
        event.preventDefault();
        byId("main").querySelector("h1")?.focus();
      },
    },
    "Skip to the content",
  );
  document.body.prepend(skip);
  const { digest, asOf } = state.overview;
  put(
    byId("tabs"),
    ...Object.entries(titles)
      .filter(([name]) => name !== "changes" || state.extras.diff)
      .map(([name, text]) => h("a", { href: to(name), "data-screen": name }, text)),
  );
  put(
    byId("asof"),
    h("span", "as of ", h("time", { datetime: asOf, title: asOf }, day(asOf))),
    " ",
    h("span.mono", { title: digest }, digest.slice(0, 12)),
  );
}

let leave = null;

// show draws the screen that the address names. What the screen before it asked for is
// broken off.
async function show(main, moved) {
  leave?.abort();
  leave = new AbortController();
  const { signal } = leave;
  const where = at(state.extras.requests.some((r) => !r.isDraft) ? "rank" : "models"); // where there is a question, its answer
  const draw = screens[where.screen] || models;
  const tab = { model: "models", compare: "models" }[where.screen] || where.screen;
  for (const a of byId("tabs").querySelectorAll("a")) a.ariaCurrent = a.dataset.screen === tab ? "page" : null;
  const page = h("div", { class: "screen screen-" + where.screen });
  put(main, page);
  try {
    await draw(page, where, signal);
  } catch (error) {
    if (error.name === "AbortError" || signal.aborted) return;
    put(
      page,
      failure(error, () => show(main, true)),
    );
  }
  if (signal.aborted) return;
  const head = page.querySelector("h1");
  const name = head?.textContent ?? titles[where.screen];
  document.title = (name ? name + " · " : "") + document.documentElement.dataset.title;
  main.dataset.ready = where.screen;
  performance.mark("ready"); // for who measures the page
  if (moved && head) head.focus({ preventScroll: true });
  if (moved && !history.state?.y && !page.querySelector(".row[open]")) scrollTo(0, 0);
}

// other says that the server has another catalog now.
function other(catalog) {
  const line = byId("other");
  if (!line.hidden) return;
  line.hidden = false;
  put(
    line,
    `The server has another catalog now, as of ${day(catalog.asOf)} (${catalog.digest.slice(0, 12)}). `,
    button("Reload", () => location.reload()),
  );
}

const shortcuts = [
  ["/", "to the search"],
  ["g m, g p, g a, g s, g c", "models, plot, answer, sources, changes"],
  ["Tab", "through controls and the points of the frontier"],
  ["arrows", "through the numbers of the list and the points of a plot; Enter leads to the row of its source"],
  ["m", "what must be: one more requirement of an answer"],
  ["Escape", "closes what is open"],
  ["?", "this list"],
];

// walk moves between the numbers of a list: up and down to another row, left and right in it.
function walk(event) {
  const rows = allIn(document, ".list tbody tr:not(.inside)")
    .map((tr) => allIn(tr, "th a, td.number a"))
    .filter((links) => links[1]);
  const at = rows.findIndex((links) => links.some(hasFocus));
  if (!rows[0] || (at < 0 && event.key !== "ArrowDown")) return;
  const column = at < 0 ? 1 : rows[at].findIndex(hasFocus);
  const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
  const links = rows[at < 0 ? 0 : Math.min(Math.max(at + down, 0), rows.length - 1)];
  links[Math.min(Math.max(column + right, 0), links.length - 1)].focus();
  event.preventDefault();
}

let before = "";
function keys(event) {
  const typing =
    /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) &&
    event.target.type !== "checkbox" &&
    event.target.type !== "range";
  const dialog = document.querySelector("dialog[open]");
  if (event.key === "ArrowDown" && event.target.id === "search") return walk(event);
  if (event.key === "Escape") {
    for (const d of document.querySelectorAll("details")) d.open &&= !d.classList.contains("columns");
    if (typing) event.target.blur();
  }
  if (typing || dialog || event.ctrlKey || event.metaKey || event.altKey) return;
  const last = before;
  before = event.key;
  const must = document.querySelector("button.must");
  const screen = last === "g" && Object.keys(titles).find((name) => titles[name][0].toLowerCase() === event.key);
  if (screen) location.hash = to(screen);
  else if (event.key === "m" && must instanceof HTMLElement) {
    event.preventDefault(); // what is focused now does not get the letter
    must.click();
  } else if (/^Arrow/.test(event.key)) walk(event);
  else if (event.key === "/" && byId("search")) {
    event.preventDefault();
    byId("search").focus();
  } else if (event.key === "?") {
    const box = h(
      "dialog",
      { "aria-labelledby": "keys-title", onclose: () => box.remove() },
      h("h2", { id: "keys-title" }, "Keys"),
      h("dl.members", terms(shortcuts.map(([key, text]) => [h("kbd", key), text]))),
      button("Close", () => box.close()),
    );
    append(document.body, box);
    box.showModal();
  }
}
