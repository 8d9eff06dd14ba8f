// The screen that compares up to six models.
import { announce, append, h, heads, linkTo, region, rowHead, title } from "./dom.js";
import { compareKeys, count, infoOf, keyName, nameOf, plainName, unitText, yesFirst } from "./text.js";
import { to, toModel } from "./address.js";
import { cellOf } from "./cell.js";
import { ask } from "./source.js";
import { tools } from "./tools.js";

/** @import { Cell, Key, Row } from "./types" */

const most = 6;
const ordered = ["price", "limit", "quality", "speed"]; // families of keys of which one end is good

/** @typedef {{ key: string, cells: (Cell | null)[] }} Line what the models have of a key */

// compare puts models side by side, the keys first in which they differ.
export async function compare(page, { query }) {
  const keys = (query.models || "").split(",").filter(Boolean).slice(0, most);
  /** @type {{ models: Row[], rows: Line[] }} */
  const { models, rows: all } = await ask("together", { models: keys });
  if (models.length === 0)
    return append(
      page,
      title("Compare"),
      h("p", "Pick models in the ", linkTo(to("models"), "list"), " to compare them."),
    );
  const rows = all
    .filter((row) => !row.key.startsWith("offer."))
    .sort(
      (a, b) => yesFirst(differs(a), differs(b)) || yesFirst(isShared(a), isShared(b)) || compareKeys(a.key, b.key),
    );
  const same = rows.findIndex((row) => !differs(row));
  const names = models.map((m) => linkTo(toModel(m.key), nameOf(m.identity)));
  const body = rows.map((row, i) => {
    const kind = i === same && i ? "first same" : differs(row) ? "" : "same";
    return h("tr", { class: kind }, head(row), cells(row, models));
  });
  append(
    page,
    title(count(models.length, "model"), h("span", " side by side")),
    h(
      "div.bar",
      h("p.soft", "What differs comes first. The best number of a row is bold."),
      tools("compare", () => lines(models, rows)),
    ),
    region("Comparison", "wide", h("table.sides", heads(["Key"], names), h("tbody", body))),
  );
  announce(count(models.length, "model") + " side by side");
}

/** @param {Line} row */
function head({ key, cells }) {
  const unit = cells.find((c) => c?.unit)?.unit;
  return rowHead(keyName(key), unit && h("small", " " + unitText(unit)), h("small.soft.keyline", infoOf(key)?.line));
}

function cells(row, models) {
  const marks = best(row);
  return row.cells.map((c, i) => {
    const node = cellOf(row.key, c, null, models[i].key);
    if (!marks[i]) return node;
    node.classList.add("least");
    append(node, h("span.away", ", the best"));
    return node;
  });
}

// contents are what holds of a cell, as a text that is the same for equal ones.
const contents = (c) => (c?.n ? JSON.stringify([c.means?.map((m) => m.value), c.low, c.high, c.texts, c.unit]) : "");

/** @param {Line} row */
const differs = (row) => new Set(row.cells.map(contents)).size > 1;

// isShared tells of a key that several models have.
const isShared = (row) => row.cells.filter(contents).length > 1;

/**
 * best marks the best numbers where the dictionary says which end is good, unless sources contradict
 * each other about one that may be better.
 * @param {Line} row
 */
function best({ key, cells }) {
  const info = infoOf(key);
  const isNumber = (c) => c?.n && !c.mixed && (c.low ?? null) !== null;
  const end = (c) => (info.less ? c.low : c.high);
  const known = cells.filter((c) => isNumber(c) && !c.conflict).map(end);
  if (!ordered.includes(info?.family) || new Set(known).size < 2) return [];
  const top = info.less ? Math.min(...known) : Math.max(...known);
  const isDoubtful = cells.some((c) => c?.n && c.conflict && (info.less ? c.low < top : c.high > top));
  return cells.map((c) => isNumber(c) && !c.conflict && end(c) === top && !isDoubtful);
}

// lines are all keys, as a file has them.
const lines = (models, rows) => [
  ["key", ...models.map((m) => plainName(m.identity))],
  ...rows.map(({ key, cells }) => [
    key,
    ...cells.map((c) => (c?.n ? c.means?.map((m) => m.value).join(" ") || (c.low ?? c.texts.join(" ")) : null)),
  ]),
];
