// The screen "Plot": what is good and cheap?
import {
  allIn,
  hasFocus,
  h,
  button,
  fold,
  isNarrow,
  linkTo,
  unfolder,
  region,
  rowHead,
  s,
  heads,
  choice,
  label,
  line,
  once,
  terms,
  title,
  searchField,
  announce,
  put,
  append,
} from "./dom.js";
import {
  compareText,
  count,
  counted,
  exact,
  groupsOf,
  joined,
  keyName,
  labelOf,
  nameOf,
  nameOfKey,
  numberText,
  optionOf,
  lessIsBetter,
  priceText,
  perToken,
  plainName,
  rangeOf,
  sureness,
  unitText,
  valueText,
  wholeText,
} from "./text.js";
import { replace, to, toModel } from "./address.js";
import { points as askPoints, state } from "./source.js";
import { tools } from "./tools.js";
import { failure } from "./failure.js";

const wide = { width: 900, height: 560, left: 64, right: 20, top: 28, bottom: 52 };
const narrow = { width: 420, height: 460, left: 48, right: 12, top: 28, bottom: 56 };
let size = wide;

export async function plot(page, { query }, signal) {
  const given = new Set(state.overview.pairs.slice(0, 12).flatMap(({ x, y }) => [x, y])); // of a report
  const numeric = state.overview.keys.filter((k) => k.numeric && (!state.isReport || given.has(k.key)));
  if (numeric.length < 2)
    return append(
      page,
      title("Plot"),
      h("p.empty", "A plot needs two numbers that hold. This catalog has ", count(numeric.length, "numeric key"), "."),
    );
  const known = new Map(numeric.map((k) => [k.key, k]));
  const chosen = { ...query };
  if (!known.has(chosen.x) || !known.has(chosen.y) || chosen.x === chosen.y) {
    const [best] = state.overview.pairs;
    chosen.x = [chosen.x, best?.x, ...known.keys()].find((key) => known.has(key));
    chosen.y = [chosen.y, best?.y, ...known.keys()].find((key) => known.has(key) && key !== chosen.x);
  }
  // Shares of a hundred are no matter of powers of ten.
  const scaleName = () =>
    ["log", "linear", "across"].includes(chosen.scale)
      ? chosen.scale
      : known.get(chosen.y).units[0] === "percent"
        ? "across"
        : "log";
  const axis = (name) => {
    const k = known.get(chosen[name]);
    const family = k.families.includes(chosen[name + "task"]) ? chosen[name + "task"] : "";
    const aggregation = k.fact
      ? "fact"
      : ["mean", "min", "max"].includes(chosen[name + "of"])
        ? chosen[name + "of"]
        : "mean";
    return {
      name,
      key: k.key,
      known: k,
      family,
      aggregation,
      less: chosen[name + "better"] ? chosen[name + "better"] === "less" : lessIsBetter(k.key),
      unit: k.units[0],
      log: k.low >= 0 && scaleName() !== "linear" && !(name === "y" && scaleName() === "across"),
    };
  };
  const groups = groupsOf(numeric, (k) => k.key.split(".")[0]);
  const keyOptions = [...groups].map(([group, list]) => ({ group, options: list.map(optionOf) }));
  const write = () => replace("plot", chosen);
  const controls = h("div.filters");
  const unfold = unfolder(chosen.runs || chosen.q);
  const lent = h("p.soft.sure");
  const main = h("div.plot");
  const side = h("aside.side", { "aria-live": "polite" });
  const said = h("div.leftout");
  const list = region("Points", "table");
  const view = { highlight: (chosen.q || "").toLowerCase() };
  const lines = () => [
    ["candidate", "runs on", view.x.key, "unit", "low", "high", view.y.key, "unit", "low", "high", "on the frontier"],
    ...view.points.flatMap((p) =>
      p.where.map((where) => [
        plainName(p.model),
        where,
        ...[p.x, p.y].flatMap((v) => [v.value, v.unit, v.low, v.high]),
        p.front,
      ]),
    ),
  ];
  append(
    page,
    h("div.bar", h("h1.head", { tabindex: "-1" }), tools("plot", lines)),
    controls,
    lent,
    h("div.halves", h("div", main, said), side),
    h("section", h("h2", "The same points as a table"), list),
  );

  const change = (name) => (value) => {
    chosen[name] = value;
    const other = { x: "y", y: "x" }[name];
    if (other) {
      if (value === chosen[other]) chosen[other] = numeric.find((k) => k.key !== value).key;
      for (const part of ["task", "of", "better"]) delete chosen[name + part];
    }
    write();
    begin();
  };
  let leaving = null;
  const begin = async () => {
    leaving?.abort();
    leaving = new AbortController();
    signal.addEventListener("abort", () => leaving.abort());
    const mine = leaving.signal;
    const [x, y] = [axis("x"), axis("y")];
    Object.assign(view, { points: [], x, y });
    put(page.querySelector("h1"), nameOfKey(y.key), h("span", " against ", nameOfKey(x.key)));
    put(main, h("p.soft.wait", "Asking for the points"));
    try {
      const asked = ({ key, family, aggregation }) => ({ key, family, aggregation });
      const found = await askPoints({ x: asked(x), y: asked(y), lend: chosen.lend || "" }, mine);
      if (mine.aborted) return;
      view.found = found ?? { points: [], left: [], total: 0 };
      drawControls(x, y);
      view.points = view.found.points
        .filter((p) => !chosen.runs || p.runtimes.includes(chosen.runs))
        .map((p) =>
          chosen.runs
            ? { ...p, where: p.where.filter((_, i) => p.runtimes[i] === chosen.runs), runtimes: [chosen.runs] }
            : p,
        )
        .map((p) => ({ ...p, x: { ...p.x, ...interval(p.x.estimate) }, y: { ...p.y, ...interval(p.y.estimate) } }));
      draw();
    } catch (error) {
      if (error.name !== "AbortError") put(main, failure(error, begin));
    }
  };

  const drawControls = (x, y) => {
    const ends = (a) =>
      choice(
        `${a.name === "y" ? "Up" : "Across"}: better is`,
        ["less", "more"],
        a.less ? "less" : "more",
        change(a.name + "better"),
      );
    const task = (a) =>
      a.known.families.length > 1 &&
      choice(`Task of ${shortKey(a.key)}`, [["", "any"], ...a.known.families], a.family, change(a.name + "task"));
    const means = (a) =>
      !a.known.fact &&
      choice(
        `${shortKey(a.key)} is the`,
        ["mean", ["min", "lowest"], ["max", "highest"]],
        a.aggregation,
        change(a.name + "of"),
      );
    const find = searchField(chosen.q || "", "part of a name", 80, (q) => {
      chosen.q = q;
      view.highlight = q.toLowerCase();
      write();
      draw();
    });
    const focused = allIn(controls, "select").findIndex(hasFocus);
    const wasOpen = controls.querySelector("details")?.open;
    const harness = view.found.lent;
    const lend =
      !state.isReport &&
      choice(
        "Lend evidence across",
        [
          ["none", "nothing"],
          ["offers", "from benchmarks to offers"],
          ["all", "all"],
        ],
        harness ? "offers" : chosen.lend || "none",
        change("lend"),
      );
    const of = groupsOf(
      view.found.points.flatMap((p) => p.runtimes.map((id) => [id, p.key])),
      ([id]) => id,
    );
    const places = [...of]
      .map(([id, list]) => [id, new Set(list.map(([, key]) => key)).size])
      .sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
      .map((place) => counted(...place));
    if (chosen.runs && !places.some(([id]) => id === chosen.runs)) places.push(counted(chosen.runs, 0));
    put(
      controls,
      choice("Up", keyOptions, y.key, change("y")),
      choice("Across", keyOptions, x.key, change("x")),
      unfold,
      places.length > 1 && choice("Runs on", [["", "anywhere"], ...places], chosen.runs || "", change("runs")),
      choice("Scale", ["log", ["across", "log across, linear up"], "linear"], scaleName(), change("scale")),
      h("label.field.search", h("span", "Highlight"), find),
      h(
        "details.fold",
        { open: wasOpen },
        h("summary", "More"),
        h("div.filters", ends(y), ends(x), task(y), task(x), means(y), means(x), lend),
      ),
    );
    if (focused >= 0) controls.querySelectorAll("select")[focused]?.focus();
    put(
      lent,
      harness
        ? [
            `The scores were measured with the benchmark’s own harness, ${harness.join(", ")}, and are carried over to the offers of each model. Prices are those of the offer. `,
            !state.isReport && h("button.link", { onclick: () => change("lend")("none") }, "Do not carry scores over"),
          ]
        : null,
    );
  };

  const draw = () => {
    // It is laid out for the width that there is: no text is made smaller or larger.
    size = { ...(isNarrow() ? narrow : wide), width: Math.max(300, Math.floor(main.clientWidth)) };
    const { points, x, y } = view;
    findFrontier(points, x, y);
    findDearer(points, x.known.fact ? x : y);
    findColours(points);
    if (points.length) put(main, drawing(points, x, y, view.highlight, detail));
    else if (state.isReport) put(main, h("p.empty", "This report has no plot of these two."));
    else
      put(
        main,
        chosen.runs
          ? h("p.empty", `Nothing that has both runs on ${chosen.runs}.`)
          : nothing(x, y, chosen.lend, change("lend")),
      );
    drawLeft();
    detail(null);
    drawTable();
    announce(`${count(drawn(), noun())} drawn of ${numberText(view.found.total)}`);
  };

  const noun = () => (view.found.lent ? "offer" : "candidate");
  const drawn = () => view.points.reduce((n, p) => n + p.where.length, 0);
  const drawLeft = () => {
    const { left, total } = view.found;
    put(
      said,
      h("p", h("strong", `${numberText(drawn())} of ${count(total, noun())} drawn. `), left.length ? "Left out:" : ""),
      h(
        "div",
        left.map(({ reason, count: n, names }) =>
          fold(
            `${numberText(n)}: ${reason}`,
            h(
              "ul.names",
              names.map((name) => h("li", name)),
              n > names.length && h("li", `and ${numberText(n - names.length)} more`),
            ),
          ),
        ),
      ),
    );
  };

  const byHeight = (a, b) => better(view.y, b.y.value) - better(view.y, a.y.value);
  const detail = (p) => {
    const { points, x, y } = view;
    const front = points.filter((q) => q.front).sort(byHeight);
    put(
      side,
      p
        ? h(
            "div.point",
            h("h2", linkTo(toModel(p.key), nameOf(p.model))),
            h(
              "dl",
              [
                [y, p.y],
                [x, p.x],
              ].map(([axis, v]) =>
                h(
                  "div",
                  h("dt", nameOfKey(axis.key)),
                  h("dd", exact(v), evidence(p, axis, v, wholeText), v.says && h("small", v.says)),
                ),
              ),
              terms([["runs on", whereOf(p)], p.lent && ["score", "carried over from the benchmark’s own harness"]]),
            ),
          )
        : h("div.hint.soft", points[0] && legend(points)),
      front[0] &&
        h(
          "div.front",
          h("h2.small", "No other is better on both than these"),
          h(
            "table",
            h(
              "thead",
              h(
                "tr",
                h("td"),
                h("th.number", { scope: "col", title: y.key }, "↑\u00a0up"),
                h("th.number", { scope: "col", title: x.key }, "→\u00a0across"),
              ),
            ),
            h(
              "tbody",
              front
                .slice(0, 12)
                .map((q) =>
                  h(
                    "tr",
                    rowHead(
                      linkTo(toModel(q.key), tail(plainName(q.model))),
                      isNamed(q) && h("small.soft", "on ", whereOf(q, 2)),
                    ),
                    h("td.number", evidence(q, y, q.y)),
                    h("td.number", evidence(q, x, q.x)),
                  ),
                ),
            ),
          ),
          front.length > 12 && h("p.soft", `and ${numberText(front.length - 12)} more, in the table below`),
          !state.isReport &&
            h(
              "p",
              linkTo(
                to("rank", {
                  q: JSON.stringify({
                    models: [...new Set(front.map((q) => q.model.id))],
                    [y.less ? "minimize" : "maximize"]: [y.key],
                    ...(x.less !== y.less
                      ? { [x.less ? "minimize" : "maximize"]: [x.key] }
                      : { [y.less ? "minimize" : "maximize"]: [y.key, x.key] }),
                  }),
                }),
                "Ask about these",
              ),
            ),
        ),
    );
  };

  let most = 100;
  const drawTable = () => {
    const { points, x, y } = view;
    const sorted = [...points].sort((a, b) => b.front - a.front || byHeight(a, b));
    put(
      list,
      h(
        "table",
        heads(
          ["Model", "Runs on"],
          [y, x].map((a) => [keyName(a.key), h("small", unitText(a.unit) || " ")]),
          ["Frontier"],
        ),
        h(
          "tbody",
          sorted.slice(0, most).map((p) =>
            h(
              "tr",
              rowHead(linkTo(toModel(p.key), nameOf(p.model))),
              h("td.runs", whereOf(p)),
              [
                [y, p.y],
                [x, p.x],
              ].map(([a, v]) =>
                h(
                  "td.number",
                  { ...exact(v), "data-label": labelOf(a.key, a.unit) },
                  evidence(p, a, v),
                  v.low !== null && v.low !== v.value && h("small", " ", rangeOf(v.low, v.high, v.unit)),
                ),
              ),
              h("td.runs", p.front ? "on it" : ""),
            ),
          ),
        ),
      ),
    );
    if (points.length > most)
      append(
        list,
        h(
          "p",
          button(`Show ${Math.min(100, points.length - most)} more`, () => {
            most += 100;
            drawTable();
          }),
        ),
      );
  };
  const resized = new ResizeObserver(
    once(() => {
      if (view.found && Math.floor(main.clientWidth) !== size.width) draw();
    }, 200),
  );
  resized.observe(main);
  signal.addEventListener("abort", () => resized.disconnect());
  await begin();
}

// evidence is a value that leads to its place on the time line of the model.
const evidence = (p, axis, v, text = valueText) => linkTo(toModel(p.key, axis.key), text(v.value, v.unit));

// legend says what the marks mean that are drawn.
function legend(points) {
  const mark = (text, shape) => h("p", s("svg", { width: 20, height: 12, viewBox: "0 0 20 12" }, shape), text);
  const all = points.every((p) => p.lent);
  const dot = (kind, text, isSquare = all) =>
    mark(
      text,
      isSquare
        ? s("rect", { x: 5, y: 1, width: 10, height: 10, class: "dot " + kind })
        : s("circle", { cx: 10, cy: 6, r: 5, class: "dot " + kind }),
    );
  const some = (test, ...of) => points.some(test) && dot(...of);
  return [
    dot("front" + (all ? " lent" : ""), "on the frontier: no other is better on both"),
    some((p) => p.unsure, "front unsure", "on it, but perhaps no better than a cheaper one"),
    all ? null : some((p) => p.lent, "lent", "rests on evidence that was lent", true),
    [
      ...groupsOf(
        points.filter((p) => p.colour),
        (p) => p.colour,
      ),
    ]
      .sort(([a], [b]) => a - b)
      .map(([colour, [p]]) => dot("series" + colour + (all ? " lent" : ""), makerOf(p))),
    dot(all ? "lent" : "", "other makers"),
    some((p) => p.dear, (all ? "lent " : "") + "dear", "a dearer offer of such a model"),
    points.some((p) => p.front && (p.x.low !== null || p.y.low !== null)) &&
      mark("the range of a value", s("g.errors", line(10, 10, 0, 12))),
    h("p", "Point at a mark, or move through them with the arrow keys."),
  ];
}

// whereOf says where a point runs: some of the places that sell a model at one price, and
// the condition. Where a model runs in one way alone its name says enough.
const isNamed = ({ id, model }) => id !== model.id;
function whereOf({ where, runtimes, condition }, most = 99) {
  if (where.length < 2) return where[0];
  return joined(
    [...runtimes.slice(0, most), runtimes.length > most && `${runtimes.length - most} more`, condition],
    ", ",
  );
}
const fullName = (p) => plainName(p.model) + (isNamed(p) ? " on " + whereOf(p) : "");

// tail is a name without its maker, and short as a label has it.
const tail = (id) => id.slice(id.lastIndexOf("/") + 1);
const cut = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);
const short = (p) =>
  cut(tail(plainName(p.model)), 34) + (isNamed(p) ? cut(" on " + whereOf(p, 1), isNarrow() ? 18 : 40) : "");
const shortKey = (key) => (nameOfKey(key).length > 34 ? nameOfKey(key).slice(0, 32) + "…" : nameOfKey(key));
const better = (axis, value) => (axis.less ? -value : value);

// interval is the ends of an estimate and its method in words.
function interval(e) {
  if (!e || e.low === null || e.basis === "exact")
    return { low: null, high: null, says: e && e.basis !== "exact" && "no interval" };
  return { low: e.low, high: e.high, says: sureness(e) };
}

// findFrontier marks the points than which nobody is better on both. One is hollow whose
// interval overlaps that of any cheaper one of them: it is not shown to be better.
function findFrontier(points, x, y) {
  const order = [...points].sort(
    (a, b) => better(x, b.x.value) - better(x, a.x.value) || better(y, b.y.value) - better(y, a.y.value),
  );
  let best = null;
  let reach = -Infinity; // how good those before may be
  for (const p of order) {
    p.front =
      best === null ||
      better(y, p.y.value) > better(y, best.y.value) ||
      (p.x.value === best.x.value && p.y.value === best.y.value);
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

// findDearer marks offers of a model, under one condition, than which another is better by a
// fact, so that what is sold in many places is not all that is seen.
function findDearer(points, axis) {
  const best = new Map();
  const group = (p) => p.key + " " + p.condition;
  const value = (p) => better(axis, p[axis.name].value);
  for (const p of points) if (!(value(p) <= best.get(group(p)))) best.set(group(p), value(p));
  for (const p of points) p.dear = p.offer && !p.front && value(p) < best.get(group(p));
}

// findColours gives the makers of most points a colour each.
function findColours(points) {
  const makers = [...groupsOf(points, makerOf)]
    .filter(([maker]) => maker)
    .sort((a, b) => b[1].length - a[1].length || compareText(a[0], b[0]))
    .slice(0, 5)
    .map(([maker]) => maker);
  for (const p of points) p.colour = makers.indexOf(makerOf(p)) + 1;
}
const makerOf = ({ model: { id } }) => (id.includes("/") ? id.split("/")[0] : "");

// scaleOf maps values to places. Zeros have a lane of their own, cut off from a log axis.
function scaleOf(all, axis, from, to) {
  const positive = all.filter((v) => v > 0);
  const log = axis.log && positive.length > 0;
  const lane = log && positive.length < all.length ? (to - from) * 0.07 : 0;
  let [low, high] = log ? [Math.min(...positive), Math.max(...positive)] : [Math.min(...all), Math.max(...all)];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
  const room = log ? (high / low) ** 0.05 : (high - low) * 0.05;
  [low, high] = log ? [low / room, high * room] : [low - room, high + room];
  const place = (v) => {
    if (log && v <= 0) return from + lane * 0.4;
    const share = log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
    return from + lane + share * (to - from - lane);
  };
  return { place, log, lane, ticks: log ? logTicks(low, high) : linearTicks(low, high) };
}

// logTicks are at 1, 2 and 5 of each power of ten, fewer over many powers.
function logTicks(low, high) {
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
  const across = scaleOf(
    points.map((p) => p.x.value),
    x,
    left,
    width - right,
  );
  const up = scaleOf(
    points.map((p) => p.y.value),
    y,
    height - bottom,
    top,
  );
  const px = (p) => across.place(p.x.value);
  const py = (p) => up.place(p.y.value);
  const named = `${nameOfKey(y.key)} against ${nameOfKey(x.key)}: ${count(points.length, "point")}`;
  const hover = s("g.hover");
  const front = points.filter((p) => p.front).sort((a, b) => px(a) - px(b));
  const path = frontPath(front, x, y, px, py);
  const drawn = [...points].sort((a, b) => px(a) - px(b) || py(a) - py(b));
  const nodes = new Map();
  const show = (p) => {
    put(
      hover,
      p.front ? null : s("g.errors", barsOf([p])),
      label(px(p), py(p) - 12, short(p), px(p) > width * 0.7 ? "end" : px(p) < width * 0.3 ? "start" : "middle"),
    );
    detail(p);
  };
  const matches = (p) => highlight && fullName(p).toLowerCase().includes(highlight);
  const nodeOf = (p) => {
    if (nodes.has(p)) return nodes.get(p);
    const kind = joined(
      [
        "dot",
        p.front && "front",
        p.colour && "series" + p.colour,
        p.unsure && "unsure",
        p.lent && "lent",
        p.dear && "dear",
        highlight && (matches(p) ? "match" : "dim"),
      ],
      " ",
    );
    const [x, y, r] = [px(p), py(p), p.front ? 5 : p.dear ? 2 : 4];
    const node = s(
      "a",
      {
        href: toModel(p.key),
        class: "hit",
        tabindex: p.front ? "0" : "-1",
        "aria-label": `${fullName(p)}: ${wholeText(p.y.value, p.y.unit)}, ${wholeText(p.x.value, p.x.unit)}${p.front ? ", on the frontier" : ""}`,
        onmouseenter: () => show(p),
        onfocus: () => show(p),
        onblur: () => put(hover),
        onmouseleave: () => put(hover),
      },
      s("circle", { cx: x, cy: y, r: 12, class: "area" }),
      p.lent
        ? s("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, class: kind })
        : s("circle", { cx: x, cy: y, r, class: kind }),
    );
    nodes.set(p, node);
    return node;
  };
  // Thousands of points are drawn some at a time, so that nothing else has to wait.
  const [before, crowd] = [drawn.filter((p) => p.front || matches(p)), drawn.filter((p) => !p.front && !matches(p))];
  const group = s("g");
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
  const barsOf = (list) =>
    list.flatMap((p) =>
      [
        p.y.low !== null && line(px(p), px(p), upTo(p.y.low), upTo(p.y.high)),
        p.x.low !== null && line(acrossTo(p.x.low), acrossTo(p.x.high), py(p), py(p)),
      ].filter(Boolean),
    );
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "group", "aria-label": named, onkeydown: move },
    s(
      "g.grid",
      across.ticks.map((t) => line(across.place(t), across.place(t), top, height - bottom)),
      up.ticks.map((t) => line(left, width - right, up.place(t), up.place(t))),
    ),
    path && s("path", { d: path.region, class: "region" }),
    across.lane > 0 &&
      s(
        "g.cut",
        line(left + across.lane * 0.8, left + across.lane * 0.8, top, height - bottom),
        label(left + across.lane * 0.4, height - bottom + 18, "0", "middle"),
      ),
    up.lane > 0 &&
      s(
        "g.cut",
        line(left, width - right, height - bottom + up.lane * 0.8, height - bottom + up.lane * 0.8),
        label(left - 8, height - bottom + up.lane * 0.4 + 4, "0", "end"),
      ),
    s(
      "g.ticks",
      spaced(across.ticks, across.place, 44).map((t) =>
        label(across.place(t), height - bottom + 18, tickText(t, x.unit), "middle"),
      ),
      spaced(up.ticks, up.place, 20).map((t) => label(left - 8, up.place(t) + 4, tickText(t, y.unit), "end")),
    ),
    s(
      "g.names",
      label(0, 14, `↑ ${labelOf(y.key, y.unit)}${endOf(y)}`),
      label(width - right, height - 8, `${labelOf(x.key, x.unit)}${endOf(x)} →`, "end"),
    ),
    s("g.errors", barsOf(front)),
    path && s("path", { d: path.line, class: "frontier" }),
    group,
    before.map(nodeOf),
    s("g.labels", labels(highlight ? drawn.filter(matches) : front, drawn, px, py)),
    hover,
  );
}

// endOf says which end of an axis is the good one, where there is room.
const endOf = (axis) => (isNarrow() ? "" : ` (${axis.less ? "less" : "more"} is better)`);

// spaced leaves out ticks that would be too near to the one before.
function spaced(ticks, place, gap) {
  let last = -Infinity;
  return [...ticks]
    .sort((a, b) => place(a) - place(b))
    .filter((t) => {
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

// labels places at most twelve names without overlap, and over no other point if there is
// such a place.
function labels(points, all, px, py) {
  const mark = (p) => ({ left: px(p) - 5, right: px(p) + 5, top: py(p) - 5, bottom: py(p) + 5 });
  const taken = points.map(mark);
  const crowd = all.map(mark);
  const isFree = (box, boxes) =>
    !boxes.some((t) => box.left < t.right && box.right > t.left && box.top < t.bottom && box.bottom > t.top);
  const out = [];
  const last = points.length - 1;
  const font = isNarrow() ? 14 : 12; // as the style has it
  const pen = h("canvas").getContext("2d");
  pen.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
  const list = points.filter((_, i) => i % Math.ceil(last / 11 || 1) === 0 || i === last);
  for (const p of list) {
    const text =
      tail(plainName(p.model)) + (points.some((q) => q !== p && q.key === p.key) ? " " + (p.condition || "") : "");
    const long = pen.measureText(text).width;
    const places = [
      [px(p) - 8, py(p) - 8, "end"],
      [px(p) + 8, py(p) + 14, "start"],
      [px(p) + 8, py(p) - 8, "start"],
      [px(p) - 8, py(p) + 16, "end"],
      [px(p), py(p) - 14, "middle"],
      [px(p), py(p) - 28, "middle"],
    ];
    const boxes = places
      .map(([x, y, anchor]) => {
        const begin = anchor === "end" ? x - long : anchor === "middle" ? x - long / 2 : x;
        return { x, y, anchor, left: begin, right: begin + long, top: y - font, bottom: y + font / 4 };
      })
      .filter(
        (box) =>
          box.left > size.left &&
          box.right < size.width - 4 &&
          box.top > 18 &&
          box.bottom < size.height - size.bottom &&
          isFree(box, taken),
      );
    const box = boxes.find((box) => isFree(box, crowd)) || boxes[0];
    if (!box) continue;
    taken.push(box);
    out.push(label(box.x, box.y, text, box.anchor));
  }
  return out;
}

// nothing says why nothing can be drawn.
function nothing(x, y, now, lend) {
  return h(
    "div.empty",
    h("p", "No candidate has evidence for both. They were measured under:"),
    h(
      "ul",
      [y, x].map((a) =>
        h(
          "li",
          h("strong", nameOfKey(a.key)),
          ", by ",
          count(a.known.holding, "model"),
          ": ",
          a.known.under.slice(0, 6).join("; "),
          a.known.under.length > 6 ? ` and ${numberText(a.known.under.length - 6)} more` : "",
        ),
      ),
    ),
    now === "none"
      ? h(
          "p",
          button("Carry scores over to the offers", () => lend("offers")),
        )
      : h("p", "If the two were measured under different runtimes or harnesses, lend evidence across them."),
  );
}
