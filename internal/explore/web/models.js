// The screen "Models": which are there, and can they be relied on?
import { h, button, cross, linkTo, region, rowHead, s, choice, label, line, title, once, searchField, unfolder, announce, put, append } from "./dom.js";
import { count, counted, keyText, day, infoOf, joined, keyOptions, labelOf, lessIsBetter, nameOf, numberText, optionOf, plainName, rangeOf, typedNumber, typedText, unitText, valueText, wholeText, exactText, way } from "./text.js";
import { decodeURIComponentOr, replace, to, toModel } from "./address.js";
import { ask, state, values } from "./source.js";
import { tools } from "./tools.js";

const step = 100;
const mostConditions = 4;
const orders = [["known", "most evidence"], ["model", "name"], ["runs", "number of runtimes"], ["holds", "share that holds"], ["seen", "last seen"]];

export async function models(page, { query }, signal) {
  const { overview } = state;
  if (overview.models === 0) return append(page, h("p.empty", "This catalog has no models."));
  const columns = columnsOf(query);
  const picked = (state.picked = new Set((query.compare || "").split(",").filter(Boolean)));
  const filters = { q: query.q || "", runs: query.runs || "", has: query.has || "", evidence: query.evidence || "", sort: query.sort || "known", desc: query.sort ? query.desc === "1" : true };
  const where = readWhere(query.where || "");
  let shown = step;
  let answer = null;

  const isUsual = () => filters.sort === "known" && filters.desc;
  const write = () => replace("models", { ...filters, where: writeWhere(where), sort: isUsual() ? "" : filters.sort, desc: filters.desc && !isUsual() ? "1" : "", columns: query.columns ? columns.join(",") : "", compare: [...picked].join(",") });
  const table = region("Models", "table");
  const said = h("p.soft.found");
  const sorts = h("div.sorts"); // where the table has no head
  const more = h("div.more");
  const tray = h("div.tray", { hidden: true });

  const show = async () => {
    answer = await ask("list", { ...filters, where: where.filter((w) => Number.isFinite(w.value)), columns, limit: shown });
    const mine = answer;
    askMeans(mine.rows, columns, signal).then((keys) => {
      const first = 3; // columns are before
      for (const [i, tr] of [...table.querySelectorAll("tbody tr")].entries()) for (const key of answer === mine ? keys : []) {
        const row = mine.rows[i];
        tr.cells[first + columns.indexOf(key)].replaceWith(cellOf(key, row.cells[key], mine.bounds[key], row.key));
      }
    }, () => {}); // without an answer they stay open
    put(table, answer.total ? draw() : h("p.empty", "No model matches. ", linkTo(to("models"), "Show all models")));
    said.textContent = joined([answer.total !== overview.models && count(answer.total, "model matches", "models match") + ".", filters.sort === "known" && `Models with most evidence come first${overview.benchmark ? ", those with a benchmark before all others" : ""}.`], " ");
    announce(count(answer.total, "model"));
    put(sorts, choice("Sort by", [...orders, ...columns], filters.sort, (name) => sortBy(name, false)));
    put(more, answer.total > shown && [button(`Show ${Math.min(step, answer.total - shown)} more`, () => { shown += step; show(); }), h("span.soft", ` of ${numberText(answer.total - shown)}`)]);
  };
  const set = (name) => (value) => { filters[name] = value; shown = step; write(); show(); };

  const sortBy = (name, again = true) => {
    if (filters.sort === name && again) filters.desc = !filters.desc;
    else Object.assign(filters, { sort: name, desc: ["known", "runs", "holds", "seen"].includes(name) || (columns.includes(name) && !lessIsBetter(name, answer.bounds[name].unit)) });
    write();
    show();
  };
  const head = (name, text, attributes = {}, unit = null) => {
    const isSorted = filters.sort === name;
    return h("th", { scope: "col", "aria-sort": isSorted ? (filters.desc ? "descending" : "ascending") : null, ...attributes },
      h("button.sort", { onclick: () => sortBy(name) }, text, h("span.arrow", { "aria-hidden": "true" }, isSorted ? (filters.desc ? " ↓" : " ↑") : ""), unit));
  };
  const draw = () => h("table",
    h("thead", h("tr",
      h("th.pick", { scope: "col" }, h("span.away", "Compare")),
      head("model", "Model"), head("runs", "Runs on"),
      columns.map((key) => head(key, keyText(key), { class: "number" }, h("small", joined([unitText(answer.bounds[key].unit), isSample(key) && "mean of tasks"], ", ") || " "))),
      head("holds", "Evidence", { class: "held" }), head("seen", "Last seen"))),
    h("tbody", answer.rows.map((row) => h("tr",
      h("td.pick", h("input", { type: "checkbox", "aria-label": "Compare " + plainName(row.identity), checked: picked.has(row.key), onchange: (e) => pick(row, e.target) })),
      rowHead(linkTo(toModel(row.key), nameOf(row.identity)), row.conflicting && h("span.conflict", { title: "contradictory evidence" }, " ◆")),
      h("td.runs", { title: row.runtimes.join(", ") }, row.runtimes[0] || whereMeasured(row) || "–", row.runtimes.length > 1 && ` +${row.runtimes.length - 1}`),
      columns.map((key) => cellOf(key, row.cells[key], answer.bounds[key], row.key)),
      h("td.held", heldBar(row)),
      h("td.seen", day(row.lastSeen))))));

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
      h("span", count(picked.size, "model") + " picked, at most 6"),
      ["Compare", "Rank"].map((name) => h("a.button", { href: to(name.toLowerCase(), { models: [...picked].join(",") }) }, name)),
      button("Clear", () => { picked.clear(); write(); drawTray(); show(); }));
  };
  const lines = () => [
    ["model", "runs on", "measured on", ...columns.flatMap((key) => [key + " low", key + " high", key + " unit"]), "holding", "observations", "last seen"],
    ...answer.rows.map((row) => [plainName(row.identity), row.runtimes.join(" "), row.harnesses.join(" "),
      ...columns.flatMap((key) => { const c = row.cells[key]; return c?.means?.length ? [c.means[0].value, c.means.at(-1).value, c.unit] : c?.n ? [c.low ?? c.texts.join(" "), c.high ?? "", c.unit] : [null, null, null]; }),
      row.holding, row.total, row.lastSeen]),
  ];

  append(page,
    summary(overview),
    h("div.filters",
      h("label.field.search", h("span", "Model"), searchField(filters.q, "part of the name", 10, set("q"))),
      unfolder(filters.runs || filters.has || filters.evidence || where[0]),
      choice("Runs on", [["", "any"], ...places(overview.runtimes), ...(overview.harnesses.length ? [{ group: "Measured there, but not sold", options: places(overview.harnesses) }] : [])], filters.runs, set("runs")),
      choice("Has", [["", "any"], ...keyOptions()], filters.has, set("has")),
      choice("Evidence", [["", "any"], ["holds", "some that holds"], ["expired", "all expired"], ["contradictory", "contradictory"]], filters.evidence, set("evidence")),
      columnsField(columns, () => { query.columns = "1"; write(); show(); }),
      whereField(where, () => { shown = step; write(); show(); })),
    h("div.bar", said, sorts, tools("models", lines)),
    table, more, tray);
  drawTray();
  await show();
}

const places = (list) => list.map((place) => counted(...place));

// whereMeasured names where a model was measured that is not sold there.
export const whereMeasured = ({ harnesses }) => harnesses.length && "measured on " + harnesses.join(", ");

const isSample = (key) => infoOf(key)?.fact === false;

// askMeans asks what the samples of models come to, as a ranking has it: a cell then has a mean
// for each way in which its model was measured, the lowest first. It returns the keys of samples.
export async function askMeans(rows, keys, signal) {
  const asked = keys.filter((key) => isSample(key) && rows.some((row) => row.cells[key]?.n));
  const of = new Map(rows.map((row) => [row.key, row]));
  const ways = asked.length ? await ask("measured", { models: rows.map((row) => row.key), keys: asked }) : [];
  for (let i = 0; i < asked.length; i += 8) { // as many as a request may have
    const some = asked.slice(i, i + 8);
    await values(ways, some.map((key) => ({ key, aggregation: infoOf(key).numeric ? "mean" : "success-rate", family: "" })), signal, (part) => {
      for (const { candidate, values } of part) for (const [k, v] of values.entries()) {
        const cell = v?.status === "present" && of.get(candidate.key).cells[some[k]];
        if (cell?.n) (cell.means ||= []).push({ ...v, execution: candidate.execution });
      }
    });
  }
  for (const row of rows) for (const key of asked) row.cells[key]?.means?.sort((a, b) => a.value - b.value);
  return asked;
}

// columnsOf returns the keys that are shown: those of the address, else prices, limits and
// the facts that most models have, and the benchmark that most have.
function columnsOf(query) {
  if (query.columns) return query.columns.split(",").filter(infoOf).slice(0, 8);
  const rank = (k) => (k.units.some((u) => (u || "").startsWith("USD")) ? 0 : k.numeric ? 1 : 2);
  return state.overview.keys.filter((k) => k.fact && k.numeric)
    .filter((k, _, all) => k.holding >= 0.6 * Math.max(...all.map((o) => o.holding)))
    .sort((a, b) => rank(a) - rank(b) || way(a.key) - way(b.key) || b.holding - a.holding).slice(0, 3).map((k) => k.key).concat(state.overview.benchmark || []);
}

// Conditions on numbers are in the address as op:value:key, parted by commas.
const readWhere = (text) => text.split(",").map((part) => part.split(":")).filter(([op, , key]) => (op === "lte" || op === "gte") && key)
  .map(([op, value, key]) => ({ op, value: Number(value || NaN), key: decodeURIComponentOr(key) })).slice(0, mostConditions);

const writeWhere = (where) => where.filter((w) => Number.isFinite(w.value)).map((w) => [w.op, w.value, encodeURIComponent(w.key)].join(":")).join(",");

// whereField is the conditions on numbers: at most this price, at least that much context.
function whereField(where, changed) {
  const keys = state.overview.keys.filter((k) => k.numeric && k.units.length === 1);
  const options = [["", "any number"], ...keys.map(optionOf)];
  const box = h("div.conditions");
  const draw = () => put(box,
    where.map((w, i) => {
      const known = keys.find((k) => k.key === w.key);
      const unit = known?.units[0];
      const input = h("input", { type: "text", inputmode: "decimal", value: Number.isFinite(w.value) ? typedText(w.value, unit) : "", placeholder: unitText(unit) || "number", "aria-label": `${w.op === "lte" ? "At most" : "At least"}, ${unitText(unit) || "a number"}`,
        oninput: once(() => { w.value = typedNumber(input.value, unit); input.setAttribute("aria-invalid", String(input.value !== "" && !Number.isFinite(w.value))); changed(); }, 150) });
      return h("div.line.condition",
        choice(i ? "and" : "Where", known ? options.slice(1) : [[w.key, w.key], ...options.slice(1)], w.key, (key) => { where[i] = newCondition(key); draw(); changed(); focusLast(); }),
        choice("is", [["lte", "at most"], ["gte", "at least"]], w.op, (op) => { w.op = op; draw(); changed(); }),
        h("label.field.amount", h("span", unitText(unit) || "number"), input),
        cross("the condition on " + w.key, () => { where.splice(i, 1); draw(); changed(); }));
    }),
    where.length < mostConditions && keys[0] && choice(where.length ? "and" : "Where", options, "", (key) => { where.push(newCondition(key)); draw(); focusLast(); }));
  const newCondition = (key) => ({ key, op: lessIsBetter(key, infoOf(key)?.units[0]) ? "lte" : "gte", value: NaN });
  const focusLast = () => [...box.querySelectorAll("input")].at(-1)?.focus();
  draw();
  return box;
}

function columnsField(columns, changed) {
  const menu = h("details.columns",
    h("summary", h("span", "Columns"), h("span.face", String(columns.length))),
    h("div.menu", state.overview.keys.map((k) => h("label",
      h("input", { type: "checkbox", checked: columns.includes(k.key), onchange: (e) => {
        if (e.target.checked && columns.length < 8) columns.push(k.key);
        else if (e.target.checked) return void (e.target.checked = false);
        else columns.splice(columns.indexOf(k.key), 1);
        menu.querySelector(".face").textContent = String(columns.length);
        changed();
      } }), h("span", k.key), h("small.soft", numberText(k.models))))));
  return menu;
}

// cellOf shows one value, the range where values differ by scope, what samples come to and
// where, a dash for what nobody says, and below a number a thin bar of its size on a log scale.
// The value leads to its evidence on the time line of the model.
export function cellOf(key, cell, bounds, model) {
  const name = labelOf(key, bounds?.unit);
  if (!cell) return h("td.number.none", { "data-label": name }, "–");
  const leads = (...text) => linkTo(toModel(model, key, cell.only), text);
  if (cell.n === 0) return h("td.number.gone", { "data-label": name, title: `${cell.last.until ? "expired on " + day(cell.last.until) : "invalid"}: ${exactText(cell.last.value, cell.last.unit)}` }, leads(valueText(cell.last.value, cell.last.unit)));
  let { low, high, unit, means } = cell;
  if (isSample(key)) {
    if (!means?.length) return h("td.number.none", { "data-label": name }, "…");
    [low, high, unit] = [means[0].value, means.at(-1).value, means[0].unit];
  }
  const exact = means?.[1] ? means.map((m) => `${conditionOf(m)}: ${wholeText(m.value, m.unit)}, ${count(m.estimate?.tasks || 1, "task")}`).join("\n")
    : low === null ? cell.texts.map((t) => exactText(t, unit)).join(" or ")
    : low === high ? exactText(low, unit) : `${cell.n} values from ${exactText(low)} to ${exactText(high, unit)}`;
  const text = cell.mixed ? "several units" : low === null ? cell.texts.map((t) => valueText(t)).join(" or ")
    : low === high ? valueText(low, unit) : rangeOf(low, high, unit);
  const ends = means?.[1] && [means[0], means.at(-1)].map(conditionOf).join(" – ").replace(/(\w+=)(.*) – \1/, "$1$2 – "); // effort=low – high
  return h("td.number", { title: exact, "data-label": name },
    cell.conflict && h("span.conflict", "◆\u00a0", h("span.away", "contradictory: ")), leads(text),
    unit && bounds && unit !== bounds.unit && h("small", " " + unitText(unit)), ends && h("small.soft.ends", ends),
    bounds && high > 0 && sizeBar(high, bounds));
}

// conditionOf names the way in which something was measured.
const conditionOf = ({ execution: { workflow } }) => workflow?.condition || "unstated";

function sizeBar(value, { low, high }) {
  const share = high > low ? Math.log(value / low) / Math.log(high / low) : 1;
  const width = 72;
  return s("svg.size", { width, height: 3, viewBox: `0 0 ${width} 3` },
    s("rect", { x: 0, y: 0, width: Math.max(2, Math.round((0.04 + 0.96 * share) * width)), height: 3 }));
}

function heldBar({ holding, total }) {
  const parts = 6;
  const full = Math.ceil((holding / total) * (holding < total ? parts - 1 : parts)); // all are full only if all hold
  return [
    s("svg.heldbar", { width: 48, height: 8, viewBox: "0 0 48 8" },
      Array.from({ length: parts }, (_, i) => s("rect", { x: i * 8 + 0.5, y: 1.5, width: 6, height: 5, class: i < full ? "full" : "hollow" }))),
    h("span", ` ${numberText(holding)}/${numberText(total)}`),
  ];
}

function summary(o) {
  return h("div.summary",
    h("div",
      title(numberText(o.models), h("span", o.models === 1 ? " model" : " models")),
      h("p", o.holding < o.observations ? `${numberText(o.holding)} of ${count(o.observations, "observation")} are still valid; the others have expired. ` : `All ${count(o.observations, "observation")} are still valid. `,
        o.silent > 0 && [linkTo(to("models", { evidence: "expired" }), count(o.silent, "model has", "models have") + " none left"), ". "],
        o.conflicting ? ["On ", linkTo(to("models", { evidence: "contradictory" }), count(o.conflicting, "model")), " sources contradict each other."] : "No two sources contradict each other."),
      (state.extras.notes ?? []).map((note) => h("p", note))),
    curve(o));
}

// curve shows how many observations hold over time, with a line at asOf.
function curve({ curve: steps, asOf, holding, expiry }) {
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
  const now = x(Date.parse(asOf));
  const isEarly = now < 110; // there is no room for the date before the line
  const ends = expiry && `${numberText(expiry[1])} expire${expiry[1] === 1 ? "s" : ""} on ${expiry[0]}`;
  const says = `Observations that hold over time: ${holding} at ${day(asOf)}. ${ends || ""}`;
  return h("figure.curve",
    s("svg", { viewBox: `0 0 ${width} ${height + foot}`, role: "img", "aria-label": says },
      s("path.area", { d: path + `V${height}Z` }), s("path.line", { d: path }),
      line(0, width, height, height, ".axis"),
      line(now, now, 0, height, ".now"),
      now > 180 && label(0, height + 13, day(steps[0][0])),
      label(Math.min(now, width), height + 13, "as of " + day(asOf), isEarly ? "start" : "end")),
    h("figcaption.soft", ends || "Observations that hold over time"));
}
