// The screen "Changes": what changed since the catalog before, and why rankings did.
import { h, s, once, announce, choice, put, append } from "./dom.js";
import { count, day, nameOf, numberText, plainName, runsOn, unitText, valueText } from "./text.js";
import { replace, to } from "./address.js";
import { state } from "./source.js";
import { tools } from "./tools.js";

const signs = { added: "+", revived: "+", backfilled: "+", renewed: "+", removed: "−", silenced: "−", expired: "−", changed: "~", settled: "~", contradicted: "◆" };
const order = ["silenced", "removed", "contradicted", "changed", "settled", "expired", "added", "revived", "renewed", "backfilled"];

export async function changes(page, { query }) {
  const { diff } = state.extras;
  if (!diff) return append(page, h("h1", { tabindex: "-1" }, "Changes"), h("p", { class: "empty" }, "There is no older catalog to compare with. Start with --against OLD."));
  const filters = { q: query.q || "", key: query.key || "", kind: query.kind || "" };
  let shown = 100;
  const all = rowsOf(diff);
  const list = h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Changes" });
  const said = h("p", { class: "soft found" });
  const pass = (row) => (!filters.key || row.key === filters.key) && (!filters.kind || row.change === filters.kind) && filters.q.toLowerCase().split(/\s+/).every((w) => row.name.toLowerCase().includes(w));
  const draw = () => {
    const kept = all.filter(pass);
    said.textContent = count(kept.length, "change");
    announce(said.textContent);
    put(list, kept.length ? table(kept.slice(0, shown)) : h("p", { class: "empty" }, "No change matches."));
    if (kept.length > shown) append(list, h("p", {}, h("button", { type: "button", onclick: () => { shown += 100; draw(); } }, `Show ${Math.min(100, kept.length - shown)} more`)));
  };
  const set = (name) => (value) => { filters[name] = value; shown = 100; replace("changes", filters); draw(); };
  const search = h("input", { type: "search", id: "search", value: filters.q, placeholder: "part of the name", oninput: once(() => set("q")(search.value), 60) });
  const keys = [...new Set(all.map((r) => r.key).filter(Boolean))].sort();
  const kinds = order.filter((kind) => all.some((r) => r.change === kind));
  const lines = () => [["change", "model", "runs on", "key", "old", "new", "unit", "ratio"], ...all.filter(pass).map((r) => [r.change, r.name, r.on, r.key, r.oldValue, r.newValue, r.unit, r.ratio])];
  const sum = diff.summary;
  const words = (counts, names) => names.filter((n) => counts[n]).map((n) => `${numberText(counts[n])} ${n}`).join(", ") || "none";
  append(page, 
    h("div", { class: "bar" }, h("h1", { tabindex: "-1" }, "Changes", h("span", {}, ` from ${day(diff.old.asOf)} to ${day(diff.new.asOf)}`)), tools("changes", lines)),
    h("dl", { class: "counts" },
      [["models", words(sum.models, ["added", "removed", "silenced", "revived", "changed"])], ["facts", words(sum.facts, ["changed", "contradicted", "settled", "added", "removed", "renewed", "expired", "backfilled"]) + (sum.facts.reaffirmed ? `; ${numberText(sum.facts.reaffirmed)} reaffirmed` : "")],
        ["samples", words(sum.samples, ["changed"])], ["conflicts", words(sum.conflicts, ["arisen", "ended", "changed"])]].map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
    diff.rankings.map((r, i) => slopes(r, (state.extras.requests[i] || {}).name || r.request.sha256.slice(0, 12))),
    h("div", { class: "filters" }, h("label", { class: "field search" }, h("span", {}, "Model"), search),
      choice("Key", [["", "any"], ...keys.map((k) => [k, k])], filters.key, set("key")), choice("Change", [["", "any"], ...kinds.map((k) => [k, k])], filters.kind, set("kind"))),
    said, list);
  draw();
  if (Object.values(diff.leftOut).some(Boolean)) append(page, h("p", { class: "soft" }, "More than can be listed changed: left out are " + Object.entries(diff.leftOut).filter(([, n]) => n).map(([k, n]) => `${numberText(n)} ${k}`).join(", ") + "."));
}

// rowsOf is a row for each change: models that came and went, then facts, those that
// changed most first.
function rowsOf(diff) {
  const rows = [];
  for (const m of diff.models) {
    const base = { model: m, name: plainName(m.identity) };
    const isWhole = m.change !== "changed";
    if (isWhole) rows.push({ ...base, change: m.change, key: "", on: "", size: 0, says: m.change === "added" || m.change === "revived" ? count(m.observations.holdingNew, "observation") + " hold" : count(m.observations.holdingOld, "observation") + " held" });
    for (const f of m.facts) {
      if (isWhole && m.change !== "revived" && m.change !== "added") continue;
      rows.push({ ...base, change: f.change, key: f.measurementKey, on: runsOn(f.execution), old: f.old, new: f.new, ratio: f.ratio, unit: ((f.new || f.old).values[0] || {}).unit, oldValue: first(f.old), newValue: first(f.new), size: f.ratio > 0 ? Math.abs(Math.log(f.ratio)) : f.change === "changed" ? 1e9 : 0 });
    }
  }
  return rows.sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change) || b.size - a.size || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

const first = (fact) => (fact && fact.values.length ? fact.values[0].value : null);

function factText(fact) {
  if (!fact) return h("span", { class: "none" }, "–");
  const text = fact.values.slice(0, 3).map((v) => valueText(v.value, v.unit)).join(" or ") + (fact.valueCount > 3 ? ` and ${fact.valueCount - 3} more` : "");
  return h("span", { class: fact.state === "expired" ? "gone" : "" }, text);
}

function percent(ratio) {
  if (ratio === null || ratio === undefined) return "";
  const p = (ratio - 1) * 100;
  return (p < 0 ? "−" : "+") + Number(Math.abs(p).toPrecision(2)).toLocaleString("en-US") + "%";
}

function table(rows) {
  return h("table", {}, h("thead", {}, h("tr", {}, ["", "Model", "On", "Key"].map((t) => h("th", { scope: "col" }, t || h("span", { class: "away" }, "Change"))), ["Old", "New", "By"].map((t) => h("th", { scope: "col", class: "number" }, t)), h("th", { scope: "col" }, "Unit"))),
    h("tbody", {}, rows.map((r) => h("tr", {},
      h("td", { class: "sign " + r.change, title: r.change }, signs[r.change], h("span", { class: "away" }, r.change)),
      h("th", { scope: "row" }, r.model.change === "removed" ? nameOf(r.model.identity) : h("a", { href: to("model/" + r.model.key) }, nameOf(r.model.identity))),
      r.key ? [h("td", { class: "runs" }, r.on), h("td", { class: "keyname" }, r.key), h("td", { class: "number" }, factText(r.old)), h("td", { class: "number" }, factText(r.new)), h("td", { class: "number" }, percent(r.ratio)), h("td", { class: "runs" }, unitText(r.unit))]
        : h("td", { colspan: "6", class: "runs" }, r.change + ", " + r.says)))));
}

// slopes draws a ranking: a line for each candidate from its old rank to its new one.
function slopes(r, name) {
  const byId = new Map(r.candidates.map((c) => [c.candidateId, c]));
  const most = Math.max(r.old.length, r.new.length, 1);
  const [width, gap] = [900, 22];
  const height = most * gap + 24;
  const y = (rank) => rank * gap + 6;
  const moves = [...new Set([...r.new, ...r.old])].map((id) => ({ id, from: r.old.indexOf(id) + 1, to: r.new.indexOf(id) + 1 }));
  const clip = (id) => (id.length > 38 ? id.slice(0, 37) + "…" : id);
  const drawing = most <= 60 ? s("svg", { viewBox: `0 0 ${width} ${height}`, class: "slopes", role: "img", "aria-label": `Ranks before and after, ${name}` },
    moves.map((m) => s("g", { class: !m.from ? "came" : !m.to ? "went" : m.to < m.from ? "up" : m.to > m.from ? "down" : "same" },
      m.from ? s("text", { x: 330, y: y(m.from) + 4, "text-anchor": "end" }, `${clip(m.id)}  ${m.from}`) : null,
      m.to ? s("text", { x: 570, y: y(m.to) + 4 }, `${m.to}  ${clip(m.id)}`) : null,
      m.from && m.to ? s("line", { x1: 340, x2: 560, y1: y(m.from), y2: y(m.to) }) : m.from ? s("text", { x: 350, y: y(m.from) + 4, class: "gone" }, "× excluded") : s("text", { x: 550, y: y(m.to) + 4, "text-anchor": "end" }, "new")))) : null;
  return h("section", {}, h("h2", {}, name, h("span", { class: "soft" }, r.changed ? "" : " did not change")), drawing,
    h("div", {}, [...byId.values()].filter((c) => c.old.rank !== c.new.rank || c.old.score !== c.new.score).map((c) => h("details", { class: "fold" },
      h("summary", {}, `${c.move > 0 ? "↑" : c.move < 0 ? "↓" : c.new.rank === null ? "×" : "·"} ${c.candidateId}: ${c.old.rank ?? "excluded"} → ${c.new.rank ?? "excluded"}`, c.old.score !== null && c.new.score !== null ? h("span", { class: "soft" }, `, score ${numberText(c.old.score)} → ${numberText(c.new.score)}`) : null),
      h("ul", {}, c.criteria.map((k) => h("li", {}, h("strong", {}, k.measurementKey || k.criterion), ": " + k.causes.join(", "),
        k.old && k.new && (k.old.value !== k.new.value) ? `; ${k.old.value === null ? k.old.status : valueText(k.old.value, k.old.unit)} → ${k.new.value === null ? k.new.status : valueText(k.new.value, k.new.unit)}` : "",
        k.contribution ? `; adds ${numberText(k.contribution.new - k.contribution.old)}, of which ${numberText(k.contribution.ofValue)} by its own value and ${numberText(k.contribution.ofScale)} by the scale` : "")))))));
}
