// The screen "Plot": what is good and cheap?
import { h, s, column, choice, once, steadily, announce, put, append } from "./dom.js";
import { count, exactText, keyText, labelOf, nameOf, numberText, lessIsBetter, priceText, perToken, plainName, runsOn, unitText, valueText, wholeText } from "./text.js";
import { replace, to } from "./address.js";
import { ask, state, values } from "./source.js";
import { tools } from "./tools.js";
import { failure } from "./failure.js";

const wide = { width: 900, height: 560, left: 64, right: 20, top: 28, bottom: 52 };
const narrow = { width: 420, height: 460, left: 48, right: 12, top: 28, bottom: 56 };
let size = wide;

export async function plot(page, { query }, signal) {
  const numeric = state.overview.keys.filter((k) => k.numeric);
  if (numeric.length < 2) return append(page, h("h1", { tabindex: "-1" }, "Plot"), h("p", { class: "empty" }, "A plot needs two numbers that hold. This catalog has ", count(numeric.length, "numeric key"), "."));
  const known = new Map(numeric.map((k) => [k.key, k]));
  const chosen = { ...query };
  if (!known.has(chosen.x) || !known.has(chosen.y) || chosen.x === chosen.y) {
    const [best] = await ask("pairs");
    const first = known.has(chosen.x) ? chosen.x : best ? best.x : numeric[0].key;
    chosen.y = known.has(chosen.y) && chosen.y !== first ? chosen.y : best && best.y !== first ? best.y : numeric.find((k) => k.key !== first).key;
    chosen.x = first;
  }
  const axis = (name) => {
    const k = known.get(chosen[name]);
    const families = k.families;
    const family = chosen[name + "task"] && families.includes(chosen[name + "task"]) ? chosen[name + "task"] : "";
    const aggregation = k.fact ? "fact" : ["mean", "min", "max"].includes(chosen[name + "of"]) ? chosen[name + "of"] : "mean";
    return { name, key: k.key, known: k, family, aggregation, less: chosen[name + "better"] ? chosen[name + "better"] === "less" : lessIsBetter(k.key, k.units[0]), unit: k.units[0], log: k.positive && k.low >= 0 && chosen.scale !== "linear" && !(name === "y" && chosen.scale === "across") };
  };
  const keyOptions = () => {
    const groups = new Map();
    for (const k of numeric) groups.set(k.key.split(".")[0], [...(groups.get(k.key.split(".")[0]) || []), [k.key, `${k.key} (${k.holding})`]]);
    return [...groups].map(([group, options]) => ({ group, options }));
  };
  const write = () => replace("plot", chosen);
  const controls = h("div", { class: "filters" });
  const main = h("div", { class: "plot" });
  const side = h("aside", { class: "side", "aria-live": "polite" });
  const said = h("div", { class: "leftout" });
  const list = h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Points" });
  const state_ = { points: [], left: new Map(), x: null, y: null, total: 0, known: 0, highlight: (chosen.q || "").toLowerCase() };
  const lines = () => [["candidate", "runs on", state_.x.key, "unit", "low", "high", state_.y.key, "unit", "low", "high", "on the frontier"],
    ...state_.points.map((p) => [p.candidate.id, runsOn(p.candidate.execution), p.x.value, p.x.unit, p.x.low, p.x.high, p.y.value, p.y.unit, p.y.low, p.y.high, Boolean(p.front)])];
  append(page, h("div", { class: "bar" }, h("h1", { tabindex: "-1", class: "head" }), tools("plot", lines)), controls, h("div", { class: "halves" }, h("div", {}, main, said), side), h("section", {}, h("h2", {}, "The same points as a table"), list));

  const change = (name) => (value) => {
    chosen[name] = value;
    if (name === "x" && value === chosen.y) chosen.y = numeric.find((k) => k.key !== value).key;
    if (name === "y" && value === chosen.x) chosen.x = numeric.find((k) => k.key !== value).key;
    for (const a of ["x", "y"]) if (name === a) for (const part of ["task", "of", "better"]) delete chosen[a + part];
    write();
    begin();
  };
  let leaving = null;
  const begin = async () => {
    if (leaving) leaving.abort();
    leaving = new AbortController();
    signal.addEventListener("abort", () => leaving.abort());
    const mine = leaving.signal;
    const [x, y] = [axis("x"), axis("y")];
    const transfer = { runtime: ["runtime"], adapter: ["adapter", "runtime"], workflow: ["workflow", "adapter", "runtime"], all: ["execution"] }[chosen.lend] || [];
    Object.assign(state_, { points: [], left: new Map(), x, y, known: 0 });
    drawControls(x, y);
    put(page.querySelector("h1"), keyText(y.key), h("span", {}, " against ", keyText(x.key)));
    const candidates = await ask("candidates", { keys: [x.key, y.key], points: true });
    if (mine.aborted) return;
    state_.total = candidates.length;
    const redraw = steadily(() => !mine.aborted && state_.known < state_.total && draw(), 400);
    try {
      await values(candidates, [x, y].map(({ key, aggregation, family }) => ({ key, aggregation, family, transfer })), mine, (part) => {
        for (const { candidate, values: [a, b] } of part) add(candidate, a, b);
        state_.known += part.length;
        redraw();
      });
      draw();
    } catch (error) {
      if (error.name !== "AbortError") put(main, failure(error, begin));
    }
  };

  const add = (candidate, a, b) => {
    const reasons = [[state_.x, a], [state_.y, b]].flatMap(([axis, v]) => {
      if (!v || v.status !== "present") return [reasonOf(axis.key, v ? v.status : "missing")];
      return typeof v.value === "number" ? [] : [`${shortKey(axis.key)} is not a number`];
    });
    if (reasons.length) {
      const reason = [...new Set(reasons)].join("; ");
      state_.left.set(reason, [...(state_.left.get(reason) || []), candidate]);
      return;
    }
    const number = (v) => ({ value: v.value, unit: v.unit, ...interval(v.estimate) });
    state_.points.push({ candidate, x: number(a), y: number(b), lent: [...new Set([...a.transferred, ...b.transferred])] });
  };

  const drawControls = (x, y) => {
    const ends = (a) => choice(`${a.name === "y" ? "Up" : "Across"}: better is`, [["less", "less"], ["more", "more"]], a.less ? "less" : "more", change(a.name + "better"));
    const task = (a) => a.known.families.length > 1 ? choice(`Task of ${shortKey(a.key)}`, [["", "any"], ...a.known.families.map((f) => [f, f])], a.family, change(a.name + "task")) : null;
    const means = (a) => !a.known.fact ? choice(`${shortKey(a.key)} is the`, [["mean", "mean"], ["min", "lowest"], ["max", "highest"]], a.aggregation, change(a.name + "of")) : null;
    const find = h("input", { type: "search", id: "search", value: chosen.q || "", placeholder: "part of a name", oninput: once(() => { chosen.q = find.value; state_.highlight = find.value.toLowerCase(); write(); draw(); }, 80) });
    const more = [ends(y), ends(x), task(y), task(x), means(y), means(x)].filter(Boolean);
    const wasOpen = controls.querySelector("details") && controls.querySelector("details").open;
    put(controls, 
      choice("Up", keyOptions(), y.key, change("y")), choice("Across", keyOptions(), x.key, change("x")),
      choice("Scale", [["log", "log"], ["across", "log across, linear up"], ["linear", "linear"]], ["linear", "across"].includes(chosen.scale) ? chosen.scale : "log", change("scale")),
      state.isReport ? null : choice("Lend evidence across", [["", "nothing"], ["runtime", "runtimes"], ["adapter", "adapters, runtimes"], ["workflow", "workflows, adapters, runtimes"], ["all", "all"]], chosen.lend || "", change("lend")),
      h("label", { class: "field" }, h("span", {}, "Highlight"), find),
      h("details", { class: "fold", open: wasOpen }, h("summary", {}, "More"), h("div", { class: "filters" }, more)));
  };

  const draw = () => {
    size = matchMedia("(max-width: 719px)").matches ? narrow : wide;
    const { points, x, y, total } = state_;
    findFrontier(points, x, y);
    const waits = state_.known < total;
    if (points.length === 0) {
      put(main, waits ? h("p", { class: "soft wait" }, `Asked about ${numberText(state_.known)} of ${count(total, "candidate")}`) : nothing(x, y));
    } else put(main, drawing(points, x, y, state_.highlight, detail));
    drawLeft(waits);
    detail(null);
    drawTable();
    if (!waits) announce(`${count(points.length, "candidate")} drawn of ${numberText(total)}`);
  };

  const drawLeft = (waits) => {
    const { points, left, total } = state_;
    put(said, h("p", {}, h("strong", {}, `${numberText(points.length)} of ${count(total, "candidate")} drawn. `), waits ? "More are asked for." : left.size ? "Left out:" : ""),
      h("div", {}, [...left].sort((a, b) => b[1].length - a[1].length).map(([reason, list]) => {
        const names = h("ul", { class: "names" }); // of thousands: made when they are wanted
        const fill = () => names.firstChild || append(names, list.slice(0, 500).map((c) => h("li", {}, h("a", { href: to("model/" + c.key) }, c.id))), list.length > 500 ? h("li", {}, `and ${numberText(list.length - 500)} more`) : null);
        return h("details", { class: "fold", ontoggle: fill }, h("summary", {}, `${numberText(list.length)}: ${reason}`), names);
      })));
  };

  const detail = (p) => {
    const { points, x, y } = state_;
    const front = points.filter((q) => q.front).sort((a, b) => better(y, b.y.value) - better(y, a.y.value));
    put(side, 
      p ? h("div", { class: "point" }, h("h2", {}, h("a", { href: to("model/" + p.candidate.key) }, nameOf({ ...p.candidate.model, id: p.candidate.id }))),
        h("dl", {}, [[y, p.y], [x, p.x]].map(([axis, v]) => h("div", {}, h("dt", {}, axis.key), h("dd", { title: exactText(v.value, v.unit) }, evidence(p, axis, v, wholeText), v.says ? h("small", {}, v.says) : null))),
          h("div", {}, h("dt", {}, "runs on"), h("dd", {}, runsOn(p.candidate.execution))),
          p.lent.length ? h("div", {}, h("dt", {}, "lent across"), h("dd", {}, p.lent.join(", "))) : null))
        : h("div", { class: "hint soft" }, points.length ? legend(points) : null),
      front.length ? h("div", { class: "front" }, h("h2", { class: "small" }, "Nobody is better on both than"),
        h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col", class: "number", title: y.key }, "↑\u00a0up"), h("th", { scope: "col", class: "number", title: x.key }, "→\u00a0across"))),
          h("tbody", {}, front.slice(0, 12).map((q) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: to("model/" + q.candidate.key) }, tail(q.candidate.id))), h("td", { class: "number" }, evidence(q, y, q.y)), h("td", { class: "number" }, evidence(q, x, q.x)))))),
        front.length > 12 ? h("p", { class: "soft" }, `and ${numberText(front.length - 12)} more, in the table below`) : null,
        h("p", {}, h("a", { href: to("rank", { models: [...new Set(front.map((q) => q.candidate.key))].slice(0, 32).join(","), keys: JSON.stringify([y.key, x.key]) }) }, front.length > 32 ? "Rank the first 32" : "Rank these"))) : null);
  };

  let most = 100;
  const drawTable = () => {
    const { points, x, y } = state_;
    const sorted = [...points].sort((a, b) => Boolean(b.front) - Boolean(a.front) || better(y, b.y.value) - better(y, a.y.value));
    put(list, h("table", {}, h("thead", {}, h("tr", {}, column("Candidate"), column("Runs on"), [y, x].map((a) => column([a.key, h("small", {}, unitText(a.unit) || " ")], true)), column("Frontier"))),
      h("tbody", {}, sorted.slice(0, most).map((p) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: to("model/" + p.candidate.key) }, nameOf({ ...p.candidate.model, id: p.candidate.id }))), h("td", { class: "runs" }, runsOn(p.candidate.execution)),
        [[y, p.y], [x, p.x]].map(([a, v]) => h("td", { class: "number", title: exactText(v.value, v.unit), "data-label": labelOf(a.key, a.unit) }, evidence(p, a, v), v.low !== null && v.low !== v.value ? h("small", {}, ` ${valueText(v.low, v.unit)} – ${valueText(v.high, v.unit)}`) : null)),
        h("td", { class: "runs" }, p.front ? "on it" : ""))))));
    if (points.length > most) append(list, h("p", {}, h("button", { onclick: () => { most += 100; drawTable(); } }, `Show ${Math.min(100, points.length - most)} more`)));
  };
  await begin();
}

// evidence is a value that leads to its place on the time line of the model.
const evidence = (p, axis, v, text = valueText) => h("a", { href: to("model/" + p.candidate.key, { k: axis.key }) }, text(v.value, v.unit));

// legend says what the marks mean that are drawn.
function legend(points) {
  const mark = (kind, text, isSquare) => h("p", {}, s("svg", { width: 20, height: 12, viewBox: "0 0 20 12", "aria-hidden": "true" }, isSquare ? s("rect", { x: 5, y: 1, width: 10, height: 10, class: "dot " + kind }) : s("circle", { cx: 10, cy: 6, r: 5, class: "dot " + kind })), text);
  const some = (test, ...of) => (points.some(test) ? mark(...of) : null);
  return [
    mark("front", "on the frontier: nobody is better on both"),
    some((p) => p.unsure, "front unsure", "on it, but not shown to be better than one before"),
    some((p) => p.lent.length, "lent", "rests on evidence that was lent", true),
    mark("", "someone is as good on both, and better on one"),
    points.some((p) => p.x.low !== null || p.y.low !== null) ? h("p", {}, s("svg", { width: 20, height: 12, viewBox: "0 0 20 12", "aria-hidden": "true", class: "drawing" }, s("g", { class: "errors" }, s("line", { x1: 10, x2: 10, y1: 0, y2: 12 }))), "how sure: where the value may lie") : null,
    h("p", {}, "Point at a mark, or move through them with the arrow keys."),
  ];
}

// tail is a name without its maker, and short as a label has it.
const tail = (id) => id.slice(id.lastIndexOf("/") + 1);
const short = (id) => tail(id).replace(/^(.{33}).{2,}$/su, "$1…");
const shortKey = (key) => (key.length > 34 ? "…" + key.slice(-32) : key);
const better = (axis, value) => (axis.less ? -value : value);

function reasonOf(key, status) {
  const words = { missing: "no evidence for", stale: "expired:", conflicting: "contradictory:", incomparable: "measured under another execution, or in several units:", ambiguous: "several sources differ on" };
  return (words[status] || status + ":") + " " + shortKey(key);
}

// interval is the ends of an estimate and its method in words.
function interval(e) {
  if (!e || e.low === null || e.method === "exact" || e.method === "unknown") return { low: null, high: null, says: e && e.method === "exact" ? "" : e ? `n ${numberText(e.n)}, how sure is not known` : "" };
  const words = { "cluster-robust": "spread over tasks", wilson: "share of trials", reported: "as the source reports", trials: "from the number of trials", sum: "of its parts" };
  return { low: e.low, high: e.high, says: `n ${numberText(e.n)}, ${valueText(e.low, e.unit)} to ${valueText(e.high, e.unit)} (${words[e.method] || e.method})` };
}

// findFrontier marks the points than which nobody is better on both. One is hollow whose
// interval overlaps that of any cheaper one of them: it is not shown to be better.
function findFrontier(points, x, y) {
  const order = [...points].sort((a, b) => better(x, b.x.value) - better(x, a.x.value) || better(y, b.y.value) - better(y, a.y.value));
  let best = null;
  let reach = -Infinity; // how good those before may be
  for (const p of order) {
    p.front = best === null || better(y, p.y.value) > better(y, best.y.value) || (p.x.value === best.x.value && p.y.value === best.y.value);
    p.unsure = false;
    if (!p.front) continue;
    if (p.y.low !== null) {
      const [worst, most] = y.less ? [-p.y.high, -p.y.low] : [p.y.low, p.y.high];
      p.unsure = worst <= reach && p.y.value !== best.y.value;
      reach = Math.max(reach, most);
    }
    best = p;
  }
}

// scaleOf maps values to places. Zeros have a lane of their own, cut off from a log axis.
function scaleOf(all, axis, from, to) {
  const positive = all.filter((v) => v > 0);
  const log = axis.log && positive.length > 0;
  const lane = log && positive.length < all.length ? (to - from) * 0.07 : 0;
  let [low, high] = log ? [Math.min(...positive), Math.max(...positive)] : [Math.min(...all), Math.max(...all)];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
  const room = log ? Math.pow(high / low, 0.05) : (high - low) * 0.05;
  [low, high] = log ? [low / room, high * room] : [low - room, high + room];
  const place = (v) => {
    if (log && v <= 0) return from + lane * 0.4;
    const share = log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
    return from + lane + share * (to - from - lane);
  };
  return { place, log, lane, ticks: log ? logTicks(low, high, axis.unit) : linearTicks(low, high) };
}

// logTicks are at 1, 2 and 5 of each power of ten, fewer over many powers.
function logTicks(low, high, unit) {
  const powers = Math.log10(high / low);
  const steps = powers > 5 ? [1] : powers > 2.5 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const step of steps) {
      const tick = Number(`${step}e${e}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks.length > 3 ? ticks : linearTicks(low, high);
}

function linearTicks(low, high) {
  const raw = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function tickText(value, unit) {
  if (unit === perToken) return priceText(value, 0);
  if (Math.abs(value) >= 1e6) return numberText(value / 1e6) + " M";
  if (Math.abs(value) >= 1e4) return numberText(value / 1e3) + " k";
  return numberText(value);
}

function drawing(points, x, y, highlight, detail) {
  const { width, height, left, right, top, bottom } = size;
  const across = scaleOf(points.map((p) => p.x.value), x, left, width - right);
  const up = scaleOf(points.map((p) => p.y.value), y, height - bottom, top);
  const px = (p) => across.place(p.x.value);
  const py = (p) => up.place(p.y.value);
  const named = `${y.key} against ${x.key}: ${count(points.length, "candidate")}`;
  const hover = s("g", { class: "hover" });
  const front = points.filter((p) => p.front).sort((a, b) => px(a) - px(b));
  const path = frontPath(front, x, y, px, py);
  const drawn = [...points].sort((a, b) => px(a) - px(b) || py(a) - py(b));
  const nodes = new Map();
  const show = (p) => {
    put(hover, ...(p ? [label(px(p), py(p) - 12, short(p.candidate.id), px(p) > width * 0.7 ? "end" : px(p) < width * 0.3 ? "start" : "middle")] : []));
    detail(p);
  };
  const matches = (p) => highlight && plainName({ ...p.candidate.model, id: p.candidate.id }).toLowerCase().includes(highlight);
  const nodeOf = (p) => {
    if (nodes.has(p)) return nodes.get(p);
    const kind = ["dot", p.front ? "front" : "", p.unsure ? "unsure" : "", p.lent.length ? "lent" : "", highlight ? (matches(p) ? "match" : "dim") : ""].join(" ");
    const [x, y, r] = [px(p), py(p), p.front ? 5 : 4];
    const node = s("a", {
      href: to("model/" + p.candidate.key), class: "hit", tabindex: p.front ? "0" : "-1",
      "aria-label": `${p.candidate.id}: ${wholeText(p.y.value, p.y.unit)}, ${wholeText(p.x.value, p.x.unit)}${p.front ? ", on the frontier" : ""}`,
      onmouseenter: () => show(p), onfocus: () => show(p), onblur: () => put(hover), onmouseleave: () => put(hover),
    }, s("circle", { cx: x, cy: y, r: 12, class: "area" }), p.lent.length ? s("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, class: kind }) : s("circle", { cx: x, cy: y, r, class: kind }));
    nodes.set(p, node);
    return node;
  };
  // Thousands of points are drawn some at a time, so that nothing else has to wait.
  const [before, crowd] = [drawn.filter((p) => p.front || matches(p)), drawn.filter((p) => !p.front && !matches(p))];
  const group = s("g", {});
  const draw = (from) => {
    append(group, crowd.slice(from, from + 400).map(nodeOf));
    if (from + 400 < crowd.length) setTimeout(() => group.isConnected && draw(from + 400));
  };
  draw(0);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step) return;
    const at = drawn.findIndex((p) => nodeOf(p) === document.activeElement);
    nodeOf(drawn[(at + step + drawn.length) % drawn.length]).focus();
    event.preventDefault();
  };
  // The axes span the values; what is beyond them of an interval is cut off.
  const upTo = (v) => Math.min(height - bottom, Math.max(top, up.place(v)));
  const acrossTo = (v) => Math.min(width - right, Math.max(left, across.place(v)));
  const bars = drawn.flatMap((p) => [
    p.y.low !== null ? s("line", { x1: px(p), x2: px(p), y1: upTo(p.y.low), y2: upTo(p.y.high) }) : null,
    p.x.low !== null ? s("line", { x1: acrossTo(p.x.low), x2: acrossTo(p.x.high), y1: py(p), y2: py(p) }) : null,
  ].filter(Boolean));
  return s("svg", { viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "group", "aria-label": named, onkeydown: move },
    s("g", { class: "grid" }, across.ticks.map((t) => s("line", { x1: across.place(t), x2: across.place(t), y1: top, y2: height - bottom })), up.ticks.map((t) => s("line", { x1: left, x2: width - right, y1: up.place(t), y2: up.place(t) }))),
    path ? s("path", { d: path.region, class: "region" }) : null,
    across.lane ? s("g", { class: "cut" }, s("line", { x1: left + across.lane * 0.8, x2: left + across.lane * 0.8, y1: top, y2: height - bottom }), s("text", { x: left + across.lane * 0.4, y: height - bottom + 18, "text-anchor": "middle" }, "0")) : null,
    up.lane ? s("g", { class: "cut" }, s("line", { x1: left, x2: width - right, y1: height - bottom + up.lane * 0.8, y2: height - bottom + up.lane * 0.8 }), s("text", { x: left - 8, y: height - bottom + up.lane * 0.4 + 4, "text-anchor": "end" }, "0")) : null,
    s("g", { class: "ticks" }, spaced(across.ticks, across.place, 44).map((t) => s("text", { x: across.place(t), y: height - bottom + 18, "text-anchor": "middle" }, tickText(t, x.unit))), spaced(up.ticks, up.place, 20).map((t) => s("text", { x: left - 8, y: up.place(t) + 4, "text-anchor": "end" }, tickText(t, y.unit)))),
    s("g", { class: "names" },
      s("text", { x: 0, y: 14 }, `↑ ${labelOf(nameOfAxis(y.key), y.unit)} (${y.less ? "less" : "more"} is better)`),
      s("text", { x: width - right, y: height - 8, "text-anchor": "end" }, `${labelOf(nameOfAxis(x.key), x.unit)} (${x.less ? "less" : "more"} is better) →`)),
    s("g", { class: "errors" }, bars),
    path ? s("path", { d: path.line, class: "frontier" }) : null,
    group, before.map(nodeOf),
    s("g", { class: "labels" }, labels(highlight ? drawn.filter(matches) : front, drawn, px, py)), hover);
}

// spaced leaves out ticks that would be too near to the one before.
function spaced(ticks, place, gap) {
  let last = -Infinity;
  return [...ticks].sort((a, b) => place(a) - place(b)).filter((t) => {
    if (place(t) - last < gap) return false;
    last = place(t);
    return true;
  });
}

// frontPath is the step line through the frontier, and the region beyond it that nobody
// reaches.
function frontPath(front, x, y, px, py) {
  if (!front.length) return null;
  const { width, height, left, right, top, bottom } = size;
  const order = [...front].sort((a, b) => (x.less ? px(a) - px(b) : px(b) - px(a)));
  const [near, far] = x.less ? [left, width - right] : [width - right, left];
  const [worse, best] = y.less ? [top, height - bottom] : [height - bottom, top];
  let line = `M${px(order[0])} ${worse}`;
  for (const p of order) line += `H${px(p)}V${py(p)}`;
  line += `H${far}`;
  return { line, region: `${line}V${best}H${near}V${worse}Z` };
}

const nameOfAxis = (key) => (size === narrow ? key.slice(key.lastIndexOf(".", key.length - 8) + 1) : key);

function label(x, y, text, anchor) {
  return s("text", { x, y, "text-anchor": anchor }, text);
}

// labels places at most twelve names without overlap, and over no other point if there is
// such a place.
function labels(points, all, px, py) {
  const mark = (p) => ({ left: px(p) - 5, right: px(p) + 5, top: py(p) - 5, bottom: py(p) + 5 });
  const taken = points.map(mark);
  const crowd = all.map(mark);
  const isFree = (box, boxes) => !boxes.some((t) => box.left < t.right && box.right > t.left && box.top < t.bottom && box.bottom > t.top);
  const out = [];
  const last = points.length - 1;
  const font = size === narrow ? 14 : 12; // as the style has it
  const pen = h("canvas").getContext("2d");
  pen.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
  const list = points.filter((_, i) => i % Math.ceil(last / 11 || 1) === 0 || i === last);
  for (const p of list) {
    const text = short(p.candidate.id);
    const long = pen.measureText(text).width;
    const places = [[px(p) - 8, py(p) - 8, "end"], [px(p) + 8, py(p) + 14, "start"], [px(p) + 8, py(p) - 8, "start"], [px(p) - 8, py(p) + 16, "end"], [px(p), py(p) - 14, "middle"], [px(p), py(p) - 28, "middle"]];
    const boxes = places.map(([x, y, anchor]) => {
      const begin = anchor === "end" ? x - long : anchor === "middle" ? x - long / 2 : x;
      return { x, y, anchor, left: begin, right: begin + long, top: y - font, bottom: y + font / 4 };
    }).filter((box) => box.left > size.left && box.right < size.width - 4 && box.top > 18 && box.bottom < size.height - size.bottom && isFree(box, taken));
    const box = boxes.find((box) => isFree(box, crowd)) || boxes[0];
    if (!box) continue;
    taken.push(box);
    out.push(label(box.x, box.y, text, box.anchor));
  }
  return out;
}

// nothing says why nothing can be drawn.
function nothing(x, y) {
  return h("div", { class: "empty" }, h("p", {}, "No candidate has evidence for both. They were measured under:"),
    h("ul", {}, [y, x].map((a) => h("li", {}, h("strong", {}, a.key), ", by ", count(a.known.holding, "model"), ": ", a.known.under.slice(0, 6).join("; "), a.known.under.length > 6 ? ` and ${numberText(a.known.under.length - 6)} more` : ""))),
    h("p", {}, "If the two were measured under different runtimes or harnesses, lend evidence across them."));
}
