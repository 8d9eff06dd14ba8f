// The screen "Models": which are there, what can they do, and what do they cost?
import {
  h,
  button,
  cross,
  linkTo,
  region,
  rowHead,
  choice,
  title,
  once,
  searchField,
  unfolder,
  announce,
  put,
  append,
} from "./dom.js";
import {
  count,
  counted,
  keyName,
  day,
  infoOf,
  joined,
  labelOf,
  lessIsBetter,
  nameOf,
  nameOfKey,
  numberText,
  optionOf,
  plainName,
  shortText,
  typedNumber,
  typedText,
  unitText,
  valueText,
  wholeText,
  exactText,
  entryOf,
  yesFirst,
} from "./text.js";
import { decodeURIComponentOr, replace, to, toModel } from "./address.js";
import { ask, state } from "./source.js";
import { tools } from "./tools.js";
import { offers } from "./model.js";
import { ageText } from "./sources.js";

const step = 100;
const mostConditions = 4;
const sorts = [
  ["", "benchmark, then release"],
  ["model", "name"],
  ["runs", "number of sellers"],
  ["released", "release"],
  ["seen", "last seen"],
];

// Filters that say yes or no of a capability.
const capabilities = {
  tools: ["Tool calls", "capability.tools"],
  vision: ["Vision", "modality.input.image"],
  reasoning: ["Reasoning", "capability.reasoning"],
  weights: ["Open weights", "capability.open_weights"],
};
const contexts = [32e3, 128e3, 200e3, 1e6];
const prices = [0.5, 1, 2, 5, 10, 25].map((dollars) => dollars / 1e6);

export async function models(page, { query }, signal) {
  const { overview } = state;
  if (overview.models === 0) return append(page, h("p.empty", "This catalog has no models."));
  const columns = columnsOf(query);
  const picked = new Set((query.compare || "").split(",").filter(Boolean));
  state.picked = picked;
  const facets = facetsOf(overview);
  const filters = Object.fromEntries(["q", ...Object.keys(facets)].map((name) => [name, query[name] || ""]));
  const order = { sort: query.sort || "", desc: query.desc === "1" };
  const where = readWhere(query.where || "");
  let shown = Math.max(step, history.state?.shown || 0);
  let answer = null;
  const decimals = new Map(); // of a column

  const write = () =>
    replace("models", {
      ...filters,
      where: writeWhere(where),
      sort: order.sort,
      desc: order.sort && order.desc ? "1" : "",
      columns: query.columns ? columns.join(",") : "",
      compare: [...picked].join(","),
    });
  const table = region("Models", "table.list");
  const said = h("p.soft.found");
  const orders = h("div.sorts"); // where the table has no head
  const more = h("div.more");
  const tray = h("div.tray", { hidden: true });
  const fields = {};

  const show = async () => {
    const mine = await ask("list", {
      filters,
      ...order,
      where: where.filter((w) => Number.isFinite(w.value)),
      columns,
      limit: shown,
      options: Object.fromEntries(
        Object.entries(facets)
          .filter(([, f]) => f.counts)
          .map(([name, f]) => [name, f.options]),
      ),
    });
    answer = mine;
    decimals.clear();
    if (signal.aborted) return;
    put(table, answer.total ? draw() : h("p.empty", "No model matches. ", linkTo(to("models"), "Show all models")));
    put(
      said,
      joined([answer.total !== overview.models && count(answer.total, "model matches", "models match") + "."], " "),
      answer.hidden > 0 && [
        " ",
        count(answer.hidden, "deprecated or withdrawn one is", "deprecated or withdrawn ones are"),
        " hidden. ",
        h("button.link", { onclick: () => set("ended")("all") }, "Show them"),
      ],
    );
    announce(count(answer.total, "model"));
    put(
      orders,
      choice("Sort by", [...sorts, ...columns.map((key) => [key, nameOfKey(key)])], order.sort, (name) =>
        sortBy(name, false),
      ),
    );
    for (const [name, counts] of Object.entries(answer.counts)) fields[name]?.(counts);
    beyond();
  };
  // What is beyond comes when it is scrolled to, or by its button.
  const beyond = () => {
    const rest = answer.total - answer.rows.length;
    put(
      more,
      rest > 0 && [button(`Show ${Math.min(step, rest)} more`, next), h("span.soft", ` of ${numberText(rest)}`)],
    );
    history.replaceState({ ...history.state, shown: answer.rows.length }, "");
  };
  const next = async () => {
    const from = answer.rows.length;
    shown = from + step;
    const mine = answer;
    const { rows } = await ask("list", {
      filters,
      ...order,
      where: where.filter((w) => Number.isFinite(w.value)),
      columns,
      limit: shown,
    });
    if (answer !== mine || answer.rows.length !== from) return;
    answer.rows = rows;
    append(table.querySelector("tbody"), rows.slice(from).map(rowOf));
    beyond();
  };
  const watch = new IntersectionObserver(
    ([entry]) => {
      if (entry.isIntersecting && more.firstChild && more.getBoundingClientRect().top < innerHeight + 600) next();
    },
    { rootMargin: "600px" },
  );
  watch.observe(more);
  signal.addEventListener("abort", () => watch.disconnect());

  const set = (name) => (value) => {
    filters[name] = value;
    shown = step;
    write();
    show();
  };
  const sortBy = (name, again = true) => {
    if (order.sort === name && again) order.desc = !order.desc;
    else
      Object.assign(order, {
        sort: name,
        desc: ["runs", "released", "seen"].includes(name) || (columns.includes(name) && !lessIsBetter(name)),
      });
    write();
    show();
  };
  const head = (name, text, attributes = {}, unit = null) => {
    const isSorted = order.sort === name;
    return h(
      "th",
      { scope: "col", "aria-sort": isSorted ? (order.desc ? "descending" : "ascending") : null, ...attributes },
      h(
        "button.sort",
        { onclick: () => sortBy(name) },
        text,
        h("span.arrow", { "aria-hidden": "true" }, isSorted ? (order.desc ? " ↓" : " ↑") : ""),
        unit,
      ),
    );
  };
  const draw = () =>
    h(
      "table",
      h(
        "thead",
        h(
          "tr",
          h("th.pick", { scope: "col" }, h("span.away", "Compare")),
          head("model", "Model"),
          head("runs", "Sellers"),
          columns.map((key) =>
            head(
              key,
              keyName(key),
              { class: "number" },
              h("small", joined([unitText(answer.bounds[key].unit), isSample(key) && "mean of tasks"], ", ") || " "),
            ),
          ),
          head("released", "Released", { class: "seen" }),
        ),
      ),
      h("tbody", answer.rows.map(rowOf)),
    );
  const rowOf = (row) =>
    h(
      "tr",
      { class: row.ended ? "ended" : null },
      h(
        "td.pick",
        h("input", {
          type: "checkbox",
          "aria-label": "Compare " + plainName(row.identity),
          checked: picked.has(row.key),
          onchange: (e) => pick(row, e.target),
        }),
      ),
      rowHead(
        linkTo(toModel(row.key), nameOf(row.identity)),
        row.conflicting && h("span.conflict", { title: "contradictory evidence" }, " ◆"),
        row.ended && h("small.soft", " ended"),
      ),
      h("td.runs", { "data-label": "sellers" }, sellersOf(row, columns.length + 4)),
      columns.map((key) => cellOf(key, row.cells[key], answer.bounds[key], row.key, paddingOf(key))),
      h("td.seen", { "data-label": "released" }, row.released || "–"),
    );
  // Numbers of a column have their points below each other: as many decimals as one of them needs.
  const paddingOf = (key) =>
    entryOf(decimals, key, () => Math.min(4, Math.max(0, ...answer.rows.map(({ cells }) => decimalsOf(cells[key])))));

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
    put(
      tray,
      h("span", count(picked.size, "model") + " picked, at most 6"),
      [
        ["compare", "Compare"],
        ["rank", "Ask about these"],
      ].map(([path, name]) => h("a.button", { href: to(path, { models: [...picked].join(",") }) }, name)),
      button("Clear", () => {
        picked.clear();
        write();
        drawTray();
        show();
      }),
    );
  };
  const lines = () => [
    [
      "model",
      "sellers",
      "measured on",
      ...columns.flatMap((key) => [key + " low", key + " high", key + " unit"]),
      "released",
      "holding",
      "observations",
      "last seen",
    ],
    ...answer.rows.map((row) => [
      plainName(row.identity),
      row.runtimes.join(" "),
      row.harnesses.join(" "),
      ...columns.flatMap((key) => {
        const c = row.cells[key];
        return c?.n ? [c.low ?? c.texts.join(" "), c.high ?? "", c.unit] : [null, null, null];
      }),
      row.released ?? "",
      row.holding,
      row.total,
      row.lastSeen,
    ]),
  ];
  const all = async () => {
    answer = { ...answer, ...(await ask("list", { filters, ...order, where, columns, limit: 1e6 })) };
    return lines();
  };

  // A facet is a choice whose options say how many models each leaves.
  const facet = ([name, { label, options, text }]) => {
    const draw = (counts) => {
      const field = choice(
        label,
        [
          ["", "any"],
          ...counts
            .filter(([value, n]) => n || value === filters[name])
            .map(([value, n]) => counted(text(value), n, value)),
        ],
        filters[name],
        set(name),
      );
      if (node.contains(document.activeElement))
        return void queueMicrotask(() => {
          const was = node;
          node = field;
          was.replaceWith(field);
          field.querySelector("select").focus();
        });
      node.replaceWith(field);
      node = field;
    };
    let node = choice(
      label,
      [["", "any"], ...(options ?? []).map((value) => [value, text(value)])],
      filters[name],
      set(name),
    );
    fields[name] = draw;
    return () => node;
  };
  const nodes = Object.entries(facets)
    .filter(([, f]) => f.counts)
    .map(facet);
  append(
    page,
    summary(overview),
    h(
      "div.filters",
      h("label.field.search", h("span", "Model"), searchField(filters.q, "any spelling", 10, set("q"))),
      unfolder(Object.entries(filters).some(([name, value]) => value && name !== "q") || where[0]),
      nodes.map((node) => node()),
      choice(
        "Evidence",
        [
          ["", "any"],
          ["holds", "some that holds"],
          ["expired", "all expired"],
          ["contradictory", "contradictory"],
        ],
        filters.evidence,
        set("evidence"),
      ),
      columnsField(columns, () => {
        query.columns = "1";
        write();
        show();
      }),
      whereField(where, () => {
        shown = step;
        write();
        show();
      }),
    ),
    h("div.bar", said, orders, tools("models", all)),
    table,
    more,
    tray,
  );
  drawTray();
  await show();
  if (history.state?.y) scrollTo(0, history.state.y);
}

// facetsOf are the filters of what the catalog has, with the options that are counted.
function facetsOf({ keys, benchmark, asOf }) {
  const known = new Set(keys.filter((k) => k.holding).map((k) => k.key));
  const months = (n) => new Date(Date.parse(asOf) - n * 30.44 * 864e5).toISOString().slice(0, 10);
  const facets = {};
  const add = (name, isThere, facet) => {
    if (isThere) facets[name] = { counts: true, text: String, ...facet };
  };
  for (const [name, [label, key]] of Object.entries(capabilities))
    add(name, known.has(key), { label, options: ["yes", "no"] });
  add("price", known.has("price.output"), {
    label: "Output price",
    options: prices.map(String),
    text: (v) => "at most " + shortText(Number(v), "USD/token"),
  });
  add("context", known.has("limits.context"), {
    label: "Context",
    options: contexts.map(String),
    text: (v) => "at least " + numberText(Number(v)),
  });
  add("maker", true, { label: "Maker" });
  add("runs", true, { label: "Seller" });
  add("since", known.has("lifecycle.released"), {
    label: "Released",
    options: [3, 6, 12, 24].map(months),
    text: (v) => "since " + v,
  });
  const samples = keys
    .filter((k) => !k.fact && k.numeric && k.holding)
    .sort((a, b) => yesFirst(a.key === benchmark, b.key === benchmark) || b.holding - a.holding);
  add("has", samples[0], { label: "Benchmark", options: samples.map((k) => k.key), text: nameOfKey });
  return { ...facets, ended: {}, evidence: {} };
}

// sellersOf names who sells a model. A press shows the offers below the row.
function sellersOf(row, width) {
  const [first, ...rest] = row.runtimes;
  if (!first)
    return row.harnesses[0] ? whereMeasured(row) : row.others?.length ? count(row.others.length, "other offer") : "–";
  const node = h(
    "button.link",
    {
      "aria-expanded": "false",
      title: row.runtimes.join(", "),
      onclick: async () => {
        const below = node.closest("tr").nextElementSibling;
        node.ariaExpanded = String(node.ariaExpanded !== "true");
        if (below?.classList.contains("inside")) return void below.remove();
        const m = await ask("model", { key: row.key });
        if (node.ariaExpanded === "true")
          node.closest("tr").after(h("tr.inside", h("td", { colspan: width }, offers(m, true))));
      },
    },
    first,
    rest.length > 0 && ` +${rest.length}`,
  );
  return node;
}

// whereMeasured names where a model was measured that is not sold there.
export const whereMeasured = ({ harnesses }) => harnesses.length > 0 && "measured on " + harnesses.join(", ");

const isSample = (key) => infoOf(key)?.fact === false;

// columnsOf returns the keys that are shown: those of the address, else the benchmark that most
// models with a price have, prices and the context, or what else most models have.
function columnsOf(query) {
  if (query.columns) return query.columns.split(",").filter(infoOf).slice(0, 8);
  const { keys, benchmark } = state.overview;
  const usual = [benchmark, "price.input", "price.output", "limits.context"].filter(
    (key) => key && infoOf(key)?.holding,
  );
  const most = keys
    .filter((k) => k.numeric && k.holding && !usual.includes(k.key))
    .sort((a, b) => yesFirst(a.fact, b.fact) || b.holding - a.holding);
  return usual.concat(most.slice(0, Math.max(0, 3 - usual.length)).map((k) => k.key));
}

// Conditions on numbers are in the address as op:value:key, parted by commas.
const readWhere = (text) =>
  text
    .split(",")
    .map((part) => part.split(":"))
    .filter(([op, , key]) => (op === "lte" || op === "gte") && key)
    .map(([op, value, key]) => ({ op, value: Number(value || NaN), key: decodeURIComponentOr(key) }))
    .slice(0, mostConditions);

const writeWhere = (where) =>
  where
    .filter((w) => Number.isFinite(w.value))
    .map((w) => [w.op, w.value, encodeURIComponent(w.key)].join(":"))
    .join(",");

// whereField is the conditions on numbers: at most this price, at least that much context.
function whereField(where, changed) {
  const keys = state.overview.keys.filter((k) => k.numeric && k.units.length === 1);
  const options = [["", "any number"], ...keys.map(optionOf)];
  const box = h("div.conditions");
  const draw = () =>
    put(
      box,
      where.map((w, i) => {
        const known = keys.find((k) => k.key === w.key);
        const unit = known?.units[0];
        const input = h("input", {
          type: "text",
          inputmode: "decimal",
          value: Number.isFinite(w.value) ? typedText(w.value, unit) : "",
          placeholder: unitText(unit) || "number",
          "aria-label": `${w.op === "lte" ? "At most" : "At least"}, ${unitText(unit) || "a number"}`,
          oninput: once(() => {
            w.value = typedNumber(input.value, unit);
            input.setAttribute("aria-invalid", String(input.value !== "" && !Number.isFinite(w.value)));
            changed();
          }, 150),
        });
        return h(
          "div.line.condition",
          choice(
            i ? "and" : "Where",
            known ? options.slice(1) : [[w.key, w.key], ...options.slice(1)],
            w.key,
            (key) => {
              where[i] = newCondition(key);
              draw();
              changed();
              focusLast();
            },
          ),
          choice(
            "is",
            [
              ["lte", "at most"],
              ["gte", "at least"],
            ],
            w.op,
            (op) => {
              w.op = op;
              draw();
              changed();
            },
          ),
          h("label.field.amount", h("span", unitText(unit) || "number"), input),
          cross("the condition on " + w.key, () => {
            where.splice(i, 1);
            draw();
            changed();
          }),
        );
      }),
      where.length < mostConditions &&
        keys[0] &&
        choice(where.length ? "and" : "Where", options, "", (key) => {
          where.push(newCondition(key));
          draw();
          focusLast();
        }),
    );
  const newCondition = (key) => ({ key, op: lessIsBetter(key) ? "lte" : "gte", value: NaN });
  const focusLast = () => [...box.querySelectorAll("input")].at(-1)?.focus();
  draw();
  return box;
}

function columnsField(columns, changed) {
  const menu = h(
    "details.columns",
    h("summary", h("span", "Columns"), h("span.face", String(columns.length))),
    h(
      "div.menu",
      state.overview.keys.map((k) =>
        h(
          "label",
          h("input", {
            type: "checkbox",
            checked: columns.includes(k.key),
            onchange: (e) => {
              if (e.target.checked && columns.length < 8) columns.push(k.key);
              else if (e.target.checked) {
                e.target.checked = false;
                return;
              } else columns.splice(columns.indexOf(k.key), 1);
              menu.querySelector(".face").textContent = String(columns.length);
              changed();
            },
          }),
          h("span", k.name || k.key, k.line && h("small.soft", k.line)),
          h("small.soft", numberText(k.models)),
        ),
      ),
    ),
  );
  return menu;
}

// decimalsOf is how many decimals a cell has that is one number.
const decimalsOf = (c) =>
  c?.n && (c.low ?? null) !== null && c.low === c.high ? (moneyText(c.low, c.unit).split(".")[1]?.length ?? 0) : 0;

// moneyText is a number with the dollar of a price.
const moneyText = (value, unit) =>
  typeof value === "number" && (unit || "").startsWith("USD")
    ? shortText(value, unit).replace(" / M", "")
    : valueText(value, unit);

// cellOf shows one value, the range where values differ by scope, what samples come to and
// where, and a dash for what nobody says. The value leads to its evidence on the time line of the
// model.
export function cellOf(key, cell, bounds, model, decimals = 0) {
  const name = labelOf(key, bounds?.unit);
  if (!cell || (!cell.n && !cell.last)) return h("td.number.none", { "data-label": name }, "–");
  const leads = (...text) => linkTo(toModel(model, key, cell.only), text);
  if (!cell.n)
    return h(
      "td.number.gone",
      {
        "data-label": name,
        title: `${cell.last.until ? "expired on " + day(cell.last.until) : "invalid"}: ${exactText(cell.last.value, cell.last.unit)}`,
      },
      leads(valueText(cell.last.value, cell.last.unit)),
    );
  const { unit, means, texts = [], low = null, high = null } = cell;
  const exact = means?.[1]
    ? means
        .map((m) => `${conditionOf(m)}: ${wholeText(m.value, m.unit)}, ${count(m.estimate?.tasks || 1, "task")}`)
        .join("\n")
    : low === null
      ? texts.map((t) => exactText(t, unit)).join(" or ")
      : low === high
        ? exactText(low, unit)
        : `${cell.n} values from ${exactText(low)} to ${exactText(high, unit)}`;
  const text = cell.mixed
    ? "several units"
    : low === null
      ? texts.map((t) => saidBy(t, cell)).flatMap((part, i) => (i ? [" or ", part] : [part]))
      : low === high
        ? moneyText(low, unit)
        : h("span.whole", `${moneyText(low, unit)} – ${moneyText(high, unit)}`);
  const ends =
    means?.[1] &&
    low !== high &&
    [means[0], means.at(-1)]
      .map(conditionOf)
      .join(" – ")
      .replace(/(\w+=)(.*) – \1/, "$1$2 – "); // effort=low – high
  const point = typeof text === "string" ? text.split(".") : [];
  const missing = decimals - (point[1]?.length ?? 0);
  const pad =
    typeof text === "string" &&
    missing > 0 &&
    low === high &&
    h("span.pad", { "aria-hidden": "true" }, (point[1] === undefined ? "." : "") + "0".repeat(missing));
  return h(
    "td.number",
    { title: exact, "data-label": name },
    cell.conflict && h("span.conflict", "◆\u00a0", h("span.away", "contradictory: ")),
    leads(text),
    pad,
    unit && bounds && unit !== bounds.unit && h("small", " " + unitText(unit)),
    ends && h("small.soft.ends", ends),
  );
}

// saidBy is a text, or yes or no with who says so where others say otherwise.
function saidBy(value, { says }) {
  const who = says?.[value === true ? "yes" : "no"];
  return who
    ? h(
        "span",
        valueText(value),
        h("small.soft.who", " " + joined([...who.slice(0, 3), who.length > 3 && `${who.length - 3} more`], ", ")),
      )
    : valueText(value);
}

// conditionOf names the way in which something was measured.
const conditionOf = ({ execution: { workflow } }) => workflow?.condition || "unstated";

// summary says how many models there are and how old the catalog is, by the reader's clock.
function summary(o) {
  return h(
    "div.summary",
    title(numberText(o.models), h("span", o.models === 1 ? " model" : " models")),
    h(
      "p.soft",
      ageText(o),
      o.conflicting > 0 && [
        "On ",
        linkTo(to("models", { evidence: "contradictory" }), count(o.conflicting, "model")),
        " sources contradict each other. ",
      ],
      o.silent > 0 && [
        "Of ",
        linkTo(to("models", { evidence: "expired", ended: "all" }), count(o.silent, "model")),
        " all evidence has expired. ",
      ],
      (state.extras.notes ?? []).map((note) => note.replace(/\.?$/, ". ")),
    ),
  );
}
