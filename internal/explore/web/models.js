// The screen "Models": which are there, and can they be relied on?
import { h, s, choice, once, announce, put, append } from "./dom.js";
import { count, keyText, day, labelOf, lessIsBetter, nameOf, numberText, plainName, typedNumber, typedText, unitText, valueText, exactText, way } from "./text.js";
import { decodeURIComponentOr, replace, to } from "./address.js";
import { ask, state } from "./source.js";
import { tools } from "./tools.js";

const step = 100;
const mostConditions = 4;

export async function models(page, { query }) {
  const { overview } = state;
  if (overview.models === 0) return append(page, h("p", { class: "empty" }, "This catalog has no models."));
  const columns = columnsOf(query);
  const picked = (state.picked = new Set((query.compare || "").split(",").filter(Boolean)));
  const filters = { q: query.q || "", runs: query.runs || "", has: query.has || "", evidence: query.evidence || "", sort: query.sort || "", desc: query.desc === "1" };
  const where = readWhere(query.where || "");
  let shown = step;
  let answer = null;

  const write = () => replace("models", { ...filters, where: writeWhere(where), desc: filters.desc ? "1" : "", columns: query.columns ? columns.join(",") : "", compare: [...picked].join(",") });
  const table = h("div", { class: "table", role: "region", "aria-label": "Models", tabindex: "0" });
  const said = h("p", { class: "soft found" });
  const sorts = h("div", { class: "sorts" }); // where the table has no head
  const more = h("div", { class: "more" });
  const tray = h("div", { class: "tray", hidden: true });

  const show = async () => {
    answer = await ask("list", { ...filters, where: where.filter((w) => Number.isFinite(w.value)), columns, limit: shown });
    put(table, answer.total ? draw() : h("p", { class: "empty" }, "No model matches. ", h("a", { href: to("models") }, "Show all models")));
    said.textContent = answer.total === overview.models ? "" : count(answer.total, "model matches", "models match");
    announce(count(answer.total, "model"));
    put(sorts, choice("Sort by", [["model", "Model"], ...columns.map((key) => [key, key]), ["holds", "share that holds"], ["seen", "last seen"]], filters.sort || "model", (name) => sortBy(name, false)));
    put(more, ...(answer.total > shown ? [h("button", { onclick: () => { shown += step; show(); } }, `Show ${Math.min(step, answer.total - shown)} more`), h("span", { class: "soft" }, ` of ${numberText(answer.total - shown)}`)] : []));
  };
  const set = (name) => (value) => { filters[name] = value; shown = step; write(); show(); };
  const typed = once(() => set("q")(search.value), 10);
  const search = h("input", { type: "search", id: "search", value: filters.q, placeholder: "part of the name", autocomplete: "off", spellcheck: "false", oninput: typed });

  const sortBy = (name, again = true) => {
    if (filters.sort === name && again) filters.desc = !filters.desc;
    else Object.assign(filters, { sort: name, desc: name === "holds" || name === "seen" || (columns.includes(name) && !lessIsBetter(name, answer.bounds[name].unit)) });
    write();
    show();
  };
  const head = (name, text, attributes = {}, unit = null) => {
    const isSorted = (filters.sort || "model") === name;
    return h("th", { scope: "col", "aria-sort": isSorted ? (filters.desc ? "descending" : "ascending") : null, ...attributes },
      h("button", { class: "sort", onclick: () => sortBy(name) }, text, h("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? (filters.desc ? " ↓" : " ↑") : ""), unit));
  };
  const draw = () => h("table", {},
    h("thead", {}, h("tr", {},
      h("th", { scope: "col", class: "pick" }, h("span", { class: "away" }, "Compare")),
      head("model", "Model"), head("runs", "Runs on"),
      columns.map((key) => head(key, keyText(key), { class: "number" }, h("small", {}, unitText(answer.bounds[key].unit) || " "))),
      head("holds", "That holds", { class: "held" }), head("seen", "Last seen"))),
    h("tbody", {}, answer.rows.map((row) => h("tr", {},
      h("td", { class: "pick" }, h("input", { type: "checkbox", "aria-label": "Compare " + plainName(row.identity), checked: picked.has(row.key), onchange: (e) => pick(row, e.target) })),
      h("th", { scope: "row" }, h("a", { href: to("model/" + row.key) }, nameOf(row.identity)), row.conflicting ? h("span", { class: "conflict", title: "contradictory evidence" }, " ◆") : null),
      h("td", { class: "runs" }, row.runtimes.join(", ") || "–"),
      columns.map((key) => cellOf(key, row.cells[key], answer.bounds[key], row.key)),
      h("td", { class: "held" }, heldBar(row)),
      h("td", { class: "seen" }, day(row.lastSeen))))));

  const pick = (row, box) => {
    if (box.checked && picked.size === 6) {
      box.checked = false;
      return announce("Six models are compared at most");
    }
    if (box.checked) picked.add(row.key);
    else picked.delete(row.key);
    write();
    drawTray();
  };
  const drawTray = () => {
    tray.hidden = picked.size === 0;
    put(tray, 
      h("span", {}, count(picked.size, "model") + " picked, at most 6"),
      h("a", { class: "button", href: to("compare", { models: [...picked].join(",") }) }, "Compare"),
      h("a", { class: "button", href: to("rank", { models: [...picked].join(",") }) }, "Rank"),
      h("button", { onclick: () => { picked.clear(); write(); drawTray(); show(); } }, "Clear"));
  };
  const lines = () => [
    ["model", "runs on", ...columns.flatMap((key) => [key + " low", key + " high", key + " unit"]), "holding", "observations", "last seen"],
    ...answer.rows.map((row) => [plainName(row.identity), row.runtimes.join(" "),
      ...columns.flatMap((key) => { const c = row.cells[key]; return c && c.n ? [c.low ?? c.texts.join(" "), c.high ?? "", c.unit] : [null, null, null]; }),
      row.holding, row.total, row.lastSeen]),
  ];

  // On a narrow screen the rows would begin below the first screen.
  const unfold = h("button", { class: "unfold", "aria-expanded": `${!!(filters.runs || filters.has || filters.evidence || where[0])}`,
    onclick: () => { unfold.ariaExpanded = unfold.ariaExpanded === "false"; } }, "Filters");
  append(page,
    summary(overview),
    h("div", { class: "filters" },
      h("label", { class: "field search" }, h("span", {}, "Model"), search),
      unfold,
      choice("Runs on", [["", "any"], ...Object.entries(overview.runtimes).sort((a, b) => b[1] - a[1]).map(([id, n]) => [id, `${id} (${numberText(n)})`])], filters.runs, set("runs")),
      choice("Has", [["", "any"], ...overview.keys.filter((k) => k.holding).map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])], filters.has, set("has")),
      choice("Evidence", [["", "any"], ["holds", "some that holds"], ["expired", "all expired"], ["contradictory", "contradictory"]], filters.evidence, set("evidence")),
      columnsField(columns, () => { query.columns = "1"; write(); show(); }),
      whereField(where, () => { shown = step; write(); show(); })),
    h("div", { class: "bar" }, said, sorts, tools("models", lines)),
    table, more, tray);
  drawTray();
  await show();
}

// columnsOf returns the keys that are shown: those of the address, else prices, limits and
// the facts that most models have.
function columnsOf(query) {
  const known = new Map(state.overview.keys.map((k) => [k.key, k]));
  if (query.columns) return query.columns.split(",").filter((key) => known.has(key)).slice(0, 8);
  const rank = (k) => (k.units.some((u) => (u || "").startsWith("USD")) ? 0 : k.numeric ? 1 : 2);
  return state.overview.keys.filter((k) => k.fact && k.numeric)
    .filter((k, _, all) => k.holding >= 0.6 * Math.max(...all.map((o) => o.holding)))
    .sort((a, b) => rank(a) - rank(b) || way(a.key) - way(b.key) || b.holding - a.holding).slice(0, 3).map((k) => k.key);
}

// Conditions on numbers are in the address as op:value:key, parted by commas.
const readWhere = (text) => text.split(",").map((part) => part.split(":")).filter(([op, , key]) => (op === "lte" || op === "gte") && key)
  .map(([op, value, key]) => ({ op, value: Number(value || NaN), key: decodeURIComponentOr(key) })).slice(0, mostConditions);

const writeWhere = (where) => where.filter((w) => Number.isFinite(w.value)).map((w) => [w.op, w.value, encodeURIComponent(w.key)].join(":")).join(",");

// whereField is the conditions on numbers: at most this price, at least that much context.
function whereField(where, changed) {
  const keys = state.overview.keys.filter((k) => k.numeric && k.units.length === 1);
  const options = [["", "any number"], ...keys.map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])];
  const box = h("div", { class: "conditions" });
  const draw = () => put(box,
    where.map((w, i) => {
      const known = keys.find((k) => k.key === w.key);
      const unit = known && known.units[0];
      const input = h("input", { type: "text", inputmode: "decimal", value: Number.isFinite(w.value) ? typedText(w.value, unit) : "", placeholder: unitText(unit) || "number", "aria-label": `${w.op === "lte" ? "At most" : "At least"}, ${unitText(unit) || "a number"}`,
        oninput: once(() => { w.value = typedNumber(input.value, unit); input.setAttribute("aria-invalid", String(input.value !== "" && !Number.isFinite(w.value))); changed(); }, 150) });
      return h("div", { class: "line condition" },
        choice(i ? "and" : "Where", known ? options.slice(1) : [[w.key, w.key], ...options.slice(1)], w.key, (key) => { where[i] = newCondition(key); draw(); changed(); focusLast(); }),
        choice("is", [["lte", "at most"], ["gte", "at least"]], w.op, (op) => { w.op = op; draw(); changed(); }),
        h("label", { class: "field amount" }, h("span", {}, unitText(unit) || "number"), input),
        h("button", { class: "quiet", "aria-label": "Remove the condition on " + w.key, onclick: () => { where.splice(i, 1); draw(); changed(); } }, "×"));
    }),
    where.length < mostConditions && keys.length ? choice(where.length ? "and" : "Where", options, "", (key) => { where.push(newCondition(key)); draw(); focusLast(); }) : null);
  const newCondition = (key) => ({ key, op: lessIsBetter(key, (keys.find((k) => k.key === key) || { units: [] }).units[0]) ? "lte" : "gte", value: NaN });
  const focusLast = () => { const inputs = box.querySelectorAll("input"); if (inputs.length) inputs[inputs.length - 1].focus(); };
  draw();
  return box;
}

function columnsField(columns, changed) {
  const menu = h("details", { class: "columns" },
    h("summary", {}, h("span", {}, "Columns"), h("span", { class: "face" }, String(columns.length))),
    h("div", { class: "menu" }, state.overview.keys.map((k) => h("label", {},
      h("input", { type: "checkbox", checked: columns.includes(k.key), onchange: (e) => {
        if (e.target.checked && columns.length < 8) columns.push(k.key);
        else if (e.target.checked) return void (e.target.checked = false);
        else columns.splice(columns.indexOf(k.key), 1);
        menu.querySelector(".face").textContent = String(columns.length);
        changed();
      } }), h("span", {}, k.key), h("small", { class: "soft" }, numberText(k.models))))));
  return menu;
}

// cellOf shows one value, the range where values differ by scope, a dash for what nobody
// says, and below a number a thin bar of its size on a log scale. The value leads to its
// evidence on the time line of the model.
export function cellOf(key, cell, bounds, model) {
  const leads = (...text) => h("a", { href: to("model/" + model, { k: key }) }, text);
  const label = labelOf(key, bounds && bounds.unit);
  if (!cell) return h("td", { class: "number none", "data-label": label }, "–");
  if (cell.n === 0) return h("td", { class: "number gone", "data-label": label, title: `${cell.last.until ? "expired on " + day(cell.last.until) : "invalid"}: ${exactText(cell.last.value, cell.last.unit)}` }, leads(valueText(cell.last.value, cell.last.unit)));
  const title = cell.low === null ? cell.texts.map((t) => exactText(t, cell.unit)).join(" or ")
    : cell.low === cell.high ? exactText(cell.low, cell.unit) : `${cell.n} values from ${exactText(cell.low)} to ${exactText(cell.high, cell.unit)}`;
  const text = cell.mixed ? "several units" : cell.low === null ? cell.texts.map((t) => valueText(t)).join(" or ")
    : cell.low === cell.high ? valueText(cell.low, cell.unit) : valueText(cell.low, cell.unit) + " – " + valueText(cell.high, cell.unit);
  return h("td", { class: "number", title, "data-label": label },
    cell.conflict ? h("span", { class: "conflict" }, "◆ ", h("span", { class: "away" }, "contradictory: ")) : null, leads(text),
    cell.unit && bounds && cell.unit !== bounds.unit ? h("small", {}, " " + unitText(cell.unit)) : null,
    bounds && cell.high > 0 ? sizeBar(cell.high, bounds) : null);
}

function sizeBar(value, { low, high }) {
  const share = high > low ? (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) : 1;
  const width = 72;
  return s("svg", { class: "size", width, height: 3, viewBox: `0 0 ${width} 3`, "aria-hidden": "true" },
    s("rect", { x: 0, y: 0, width: Math.max(2, Math.round((0.04 + 0.96 * share) * width)), height: 3 }));
}

function heldBar({ holding, total }) {
  const parts = 6;
  const full = Math.ceil((holding / total) * (holding < total ? parts - 1 : parts)); // all are full only if all hold
  return [
    s("svg", { class: "heldbar", width: 48, height: 8, viewBox: "0 0 48 8", "aria-hidden": "true" },
      Array.from({ length: parts }, (_, i) => s("rect", { x: i * 8 + 0.5, y: 1.5, width: 6, height: 5, class: i < full ? "full" : "hollow" }))),
    h("span", {}, ` ${numberText(holding)}/${numberText(total)}`),
  ];
}

function summary(o) {
  return h("div", { class: "summary" },
    h("div", {},
      h("h1", { tabindex: "-1" }, numberText(o.models), h("span", {}, o.models === 1 ? " model" : " models")),
      h("p", {}, `${numberText(o.holding)} of ${numberText(o.observations)} observations hold, `,
        o.silent ? h("a", { href: to("models", { evidence: "expired" }) }, o.silent === 1 ? "1 model has none that does" : `${numberText(o.silent)} models have none that does`) : "every model has some that does", ", ",
        o.conflicting ? h("a", { href: to("models", { evidence: "contradictory" }) }, o.conflicting === 1 ? "1 model has contradictions" : `${numberText(o.conflicting)} models have contradictions`) : "no contradictions", ".")),
    curve(o));
}

// curve shows how many observations hold over time, with a line at asOf.
function curve({ curve: steps, asOf, holding }) {
  if (steps.length < 2) return null;
  const [width, height, foot] = [360, 84, 18];
  const begin = Date.parse(steps[0][0]);
  const end = Math.max(Date.parse(steps.at(-1)[0]), Date.parse(asOf)) + 864e5;
  const most = Math.max(...steps.map((p) => p[1]), 1);
  const x = (at) => ((at - begin) / (end - begin)) * width;
  const y = (n) => height - (n / most) * (height - 8);
  let path = `M0 ${height}`;
  for (const [at, n] of steps) path += `H${x(Date.parse(at)).toFixed(1)}V${y(n).toFixed(1)}`;
  path += `H${width}`;
  const line = x(Date.parse(asOf));
  const isEarly = line < 110; // there is no room for the date before the line
  const next = steps.find(([at, n], i) => at > asOf && n < (steps[i - 1] || [0, 0])[1]);
  const label = `Observations that hold over time: ${holding} at ${day(asOf)}` + (next ? `, ${next[1]} at ${day(next[0])}` : "");
  return h("figure", { class: "curve" },
    s("svg", { viewBox: `0 0 ${width} ${height + foot}`, role: "img", "aria-label": label },
      s("path", { d: path + `V${height}Z`, class: "area" }), s("path", { d: path, class: "line" }),
      s("line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" }),
      s("line", { x1: line, x2: line, y1: 0, y2: height, class: "now" }),
      line > 180 ? s("text", { x: 0, y: height + 13 }, steps[0][0].slice(0, 10)) : null,
      s("text", { x: Math.min(line, width), y: height + 13, "text-anchor": isEarly ? "start" : "end" }, "as of " + day(asOf)),
      next && width - line > (isEarly ? 180 : 90) ? s("text", { x: width, y: height + 13, "text-anchor": "end" }, day(steps.at(-1)[0])) : null),
    h("figcaption", { class: "soft" }, next ? `${numberText(next[1])} hold after ${day(next[0])}` : "Observations that hold over time"));
}
