// The answer as it is shown: the choice in words, the candidates, and who is excluded.
import { announce, append, button, h, line, linkTo, put, s, terms } from "./dom.js";
import {
  count,
  exactText,
  joined,
  keyName,
  keyOf,
  nameOf,
  nameOfKey,
  numberText,
  plainName,
  rangeOf,
  runsOn,
  shortText,
  sureness,
  unitText,
  valueText,
  wholeText,
} from "./text.js";
import { toModel } from "./address.js";
import { columnsOf, endText, operators, reasonFor, unitOf, unitOfKey } from "./criteria.js";
import { ask } from "./source.js";
import { folds } from "./tools.js";

/** @import { Candidate, Column, RankRequest, Reason, Result } from "./types" */

const most = 200; // rows at once
const mostColumns = 5; // that rows have room for

// Results are the answer to a request.
export class Results {
  /**
   * @param {RankRequest} request as it was asked
   * @param {Result} answer
   * @param {string[]} lacks why each excluded candidate is
   */
  constructor(request, answer, lacks) {
    this.answer = answer;
    this.lacks = lacks;
    this.columns = columnsOf(request);
    const isSame = (c, d) => d.key === c.key && d.criterion.aggregation === c.criterion.aggregation;
    this.shown = this.columns.filter((c, i) => this.columns.findIndex((d) => isSame(c, d)) === i);
    this.isPriced = answer.ranked.some((e) => e.cost);
    this.maximum = answer.scoreScale.maximum;
    this.isAll = false; // all candidates are shown
  }

  // lines are all candidates, as a file has them.
  lines() {
    const actual = (e) => this.columns.map((c) => reasonFor(e, c)?.actual ?? null);
    const head = ["rank", "candidate", "model", "score", "best rank", "worst rank", ...this.columns.map((c) => c.key)];
    const rows = [...this.answer.ranked, ...this.answer.excluded].map((e) => [
      e.rank ?? null,
      e.candidateId,
      plainName(e.model),
      e.score ?? null,
      e.rankInterval?.low ?? null,
      e.rankInterval?.high ?? null,
      ...actual(e),
    ]);
    return [head, ...rows];
  }

  // draw draws the answer into the parts of a screen.
  draw({ head, answered, results }) {
    const { ranked, excluded, answer } = this.answer;
    const says = answer ?? { choice: [], notes: [], changes: [], next: null }; // before version 3
    const left = excluded.length ? `, ${numberText(excluded.length)} excluded` : "";
    put(head, "Answer", h("span", ` ${numberText(ranked.length)} ranked${left}`));
    this.place = h("div");
    if (ranked[0]) this.drawRows();
    put(
      results,
      ranked[0] && this.place,
      sentences("changes", "What would change this", [...says.changes, says.next].filter(Boolean)),
      sentences("notes", "What is taken as given, and what is missing", says.notes),
      this.excluded(),
    );
    const isMany = this.shown.length > mostColumns;
    results.classList.toggle("many", isMany);
    results.style.setProperty("--n", String(isMany ? 0 : this.shown.length + Number(this.isPriced)));
    this.drawChoice(answered, says.choice);
  }

  // drawChoice says in words whom to take.
  drawChoice(node, choice) {
    const { ranked, choice: chosen } = this.answer;
    const [first = "", ...rest] = ranked[0] ? choice : [choice.join(" ")];
    const name = chosen?.candidateId || ranked[0]?.candidateId || "";
    const at = Math.max(0, first.indexOf(name));
    const end = at + name.length;
    put(
      node,
      first && h("p.answer", first.slice(0, at), h("strong", first.slice(at, end)), first.slice(end)),
      rest[0] && h("p.sure", rest.join(" ")),
    );
    announce(joined([first, ...rest], " "));
  }

  // drawRows draws the candidates that nobody beats in score and cost at once, the choice and the
  // best where there is a cost, else all of them.
  drawRows() {
    const { ranked, frontier = [], choice } = this.answer;
    const wanted = new Set([choice?.candidateId, choice?.best, ...frontier.map((step) => step.candidateId)]);
    const few = this.isAll || frontier.length < 2 ? ranked : ranked.filter((e) => wanted.has(e.candidateId));
    const list = h(
      "ol.ranked",
      { "aria-label": "Ranked candidates" },
      few.slice(0, most).map((e) => this.row(e)),
    );
    const all = () => {
      this.isAll = true;
      this.drawRows();
    };
    const rest = () => {
      append(
        list,
        few.slice(most).map((e) => this.row(e)),
      );
      more.remove();
    };
    const more = h("div.more", button(`Show ${numberText(few.length - most)} more`, rest));
    const isSome = few.length < ranked.length;
    put(
      this.place,
      isSome && h("h2", "No other is both better and cheaper than these"),
      this.heads(),
      list,
      isSome && h("div.more", button(`Show all ${numberText(ranked.length)}`, all)),
      few.length > most && more,
    );
  }

  // heads names the columns of values, with their units. Where rows are too narrow for columns each
  // value has its key.
  heads() {
    const isMany = this.shown.length > mostColumns;
    const ofKey = (c) => h("span.number", keyName(c.key), h("small", unitText(unitOf(null, c)) || " "));
    return h(
      "div.heads",
      { "aria-hidden": "true" },
      h("span"),
      h("span", "Candidate"),
      !isMany && this.shown.map(ofKey),
      !isMany && this.isPriced && h("span.number", "A task", h("small", "$")),
      h("span.whiskers", "Rank by the evidence", h("small", `1 to ${numberText(this.answer.ranked.length)}`)),
      h("span.points", "Score", h("small", "of " + numberText(this.maximum))),
    );
  }

  /** @param {Candidate} e */
  row(e) {
    const { choice, frontier } = this.answer;
    const detail = h("div.detail");
    const isStepShown = frontier?.find((step) => step.candidateId === e.candidateId)?.isStepShown;
    const ontoggle = async () => {
      if (!row.open || detail.firstChild) return;
      const model = await ask("find", { identity: e.model });
      put(detail, this.because(e, model));
    };
    const row = h(
      "details",
      { class: e.candidateId === choice?.candidateId ? "result chosen" : "result", ontoggle },
      h(
        "summary",
        h("span.place", { title: placesText(e) }, String(e.rank)),
        h(
          "span.who",
          nameOf({ ...e.model, id: e.candidateId }),
          h("small.soft.tie", placeText(e)),
          e.offer?.speed && h("small.soft.tie", speedText(e.offer.speed)),
          isStepShown && h("small.soft.tie", "shown to be better than the next"),
        ),
        h(
          "span.values",
          this.shown.map((c) => valueCell(reasonFor(e, c), c)),
          this.isPriced && costOf(e),
        ),
        this.whisker(e) || scoreBar(e, this.columns, this.maximum),
        h("span.points", { title: String(e.score) }, numberText(e.score)),
      ),
      detail,
    );
    return h("li", row);
  }

  /**
   * whisker shows the ranks that the evidence allows a candidate, from the first on the left to the
   * last, and that of its score.
   * @param {Candidate} e
   */
  whisker({ rank, rankInterval, amongBest }) {
    const n = this.answer.ranked.length;
    if (!rankInterval || (amongBest ?? null) === null || n < 2) return null;
    const x = (r) => 2 + ((r - 1) / (n - 1)) * 96;
    return s(
      "svg.score",
      { viewBox: "0 0 100 12", preserveAspectRatio: "none" },
      line(2, 98, 6, 6, ".room"),
      line(x(rankInterval.low), x(rankInterval.high), 6, 6, ".whisker"),
      line(x(rank), x(rank), 1, 11, ".at"),
    );
  }

  /**
   * because is what came of each criterion.
   * @param {Candidate} e
   */
  because(e, model) {
    const says = [
      plainName(e.model) + " on " + runsOn(e.execution),
      e.coverage < 1 && `evidence for ${numberText(e.coverage * 100)}% of the weight`,
      placesText(e),
    ];
    return h(
      "div",
      h("p.soft", joined(says)),
      this.columns.map((c) => this.reason(e, c, model)),
      h("p", model ? linkTo(toModel(model), "All about this model") : "The catalog has nothing of this model."),
    );
  }

  /**
   * reason is what a candidate has of a criterion: the value, how sure it is, how it was normalized, and
   * the observations that it rests on.
   * @param {Candidate} e
   * @param {Column} c
   */
  reason(e, c, model) {
    const r = reasonFor(e, c);
    const unit = unitOf(r, c);
    const evidence = (e.evidence || []).find((v) => (c.id ? v.criterion === c.id : v.measurementKey === c.key));
    const isSure = r?.estimate && r.estimate.low !== null && r.estimate.basis !== "exact";
    const value =
      r?.actual === undefined ? gapText(r) : h("span", { title: exactText(r.actual, unit) }, wholeText(r.actual, unit));
    const { criterion, role } = c;
    const need = `${operators[criterion.operator]} ${valueText(criterion.value, unit)}`;
    return h(
      "section.because",
      h(
        "h3",
        role === "preference" && h("span", { class: "swatch series" + c.series }),
        c.key,
        h("span.soft", " " + (role === "tieBreaker" ? "tie breaker" : role)),
      ),
      h(
        "dl.members",
        terms([
          ["value", value],
          isSure && ["how sure", sureness(r.estimate)],
          role === "requirement" && r && ["required", `${need}: ${r.code === "REQUIREMENT_MET" ? "met" : "not met"}`],
          r?.contribution !== undefined && ["adds", this.share(r, c)],
          evidence?.observationIds[0] && ["observations", observations(evidence.observationIds, model)],
          evidence?.overruled?.[0] && ["overruled", observations(evidence.overruled, model)],
        ]),
      ),
    );
  }

  /**
   * share is what a preference adds to the score.
   * @param {Reason} r
   * @param {Column} c
   */
  share(r, c) {
    const unit = unitOf(r, c);
    const scale = this.answer.scoreScale.scales?.find((one) => one.criterion === c.id); // of version 3
    const ends = scale && `: the scale is from ${valueText(scale.low, unit)} to ${valueText(scale.high, unit)}`;
    return `${numberText(r.contribution)} of ${numberText(c.criterion.weight)}${ends || ""}, ${endText(c.criterion)}`;
  }

  excluded() {
    const { excluded } = this.answer;
    if (!excluded.length) return null;
    const because = new Map(excluded.map((e, i) => [e, this.lacks[i]]));
    const unit = (r) => (r.estimate ? r.estimate.unit : unitOfKey(r.measurementKey));
    const values = (e) =>
      e.reasons.filter((r) => r.actual !== undefined).map((r) => `${keyOf(r)} ${valueText(r.actual, unit(r))}`);
    return h(
      "section.excluded",
      h("h2", count(excluded.length, "candidate") + " excluded"),
      folds(
        excluded,
        (e) => because.get(e),
        (e) => h("li", e.candidateId, h("small.soft", " " + values(e).join(", "))),
      ),
    );
  }
}

const sentences = (kind, name, texts) =>
  texts[0] &&
  h(
    "section.says." + kind,
    h("h2", name),
    h(
      "ul",
      texts.map((text) => h("li", text)),
    ),
  );

// scoreBar shows what each preference adds to a score of which nobody knows how sure it is.
function scoreBar(e, columns, maximum) {
  const width = 320;
  let x = 0;
  return s(
    "svg.score",
    { viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none" },
    s("rect", { x: 0, y: 0, width, height: 10, class: "room" }),
    columns
      .filter((c) => c.role === "preference")
      .map((c) => {
        const r = reasonFor(e, c);
        const part = r?.contribution > 0 && maximum > 0 ? (r.contribution / maximum) * width : 0;
        x += part;
        return part > 0 && s("rect", { x: x - part, y: 0, width: part, height: 10, class: "series" + c.series });
      }),
  );
}

/**
 * placeText says where a candidate runs.
 * @param {Candidate} e
 */
const placeText = ({ candidateId, execution }) =>
  execution.runtime && !candidateId.includes(" on " + execution.runtime.id) && `on ${execution.runtime.id}`;

// speedText says how fast an offer answers.
function speedText({ ttft, throughput, uptime }) {
  const text = (n, unit, before, after) => n !== null && before + wholeText(Number(n.toPrecision(3)), unit) + after;
  return joined([
    text(ttft, "s", "first token after ", ""),
    text(throughput, "tokens/s", "", ""),
    text(uptime, "percent", "", " up"),
  ]);
}

/**
 * costOf is what a task costs.
 * @param {Candidate} e
 */
function costOf({ cost }) {
  const text = cost ? valueText(cost.usdPerTask, "USD") : "–";
  return h(
    "span.value",
    { title: cost && exactText(cost.usdPerTask, "USD") },
    h("small.name", "a task "),
    h("span.plain", text),
    h("span.short", cost ? "$" + text : text),
  );
}

/**
 * placesText says which ranks the evidence allows.
 * @param {Candidate} e
 */
function placesText({ rankInterval, amongBest }) {
  if (!rankInterval || amongBest === null) return "";
  return `by the evidence rank ${numberText(rankInterval.low)} to ${numberText(rankInterval.high)}`;
}

// observations lead to their rows on the time line of the model.
function observations(ids, model) {
  const name = (id) =>
    h(model ? "a.mono" : "span.mono", { href: model && toModel(model, "", id), title: id }, id.slice(0, 12));
  return [ids.slice(0, 8).map((id) => [name(id), " "]), ids.length > 8 ? `and ${numberText(ids.length - 8)} more` : ""];
}

/**
 * valueCell is the value of a criterion in a row, and how sure it is.
 * @param {Reason | undefined} r
 * @param {Column} c
 */
function valueCell(r, c) {
  if (!r || r.actual === undefined) return h("span.value.none", h("small.name", nameOfKey(c.key) + " "), gapText(r));
  const unit = unitOf(r, c);
  const e = r.estimate;
  const isRange = e && e.low !== e.high;
  return h(
    "span.value",
    { title: exactText(r.actual, unit) },
    h("small.name", nameOfKey(c.key) + " "),
    h("span.plain", valueText(r.actual, unit)),
    h("span.short", shortText(r.actual, unit)),
    isRange && h("small.soft.range", " ", rangeOf(e.low, e.high, e.unit)),
  );
}

// gaps say in a cell what is wrong with evidence, by a word of the code of its reason.
const gaps = {
  MISSING: "no evidence",
  STALE: "expired",
  CONFLICTING: "contradictory",
  INCOMPARABLE: "not comparable",
  AMBIGUOUS: "sources differ",
};

const gapText = (r) => (r ? gaps[Object.keys(gaps).find((word) => r.code.includes(word))] || r.summary : "–");
