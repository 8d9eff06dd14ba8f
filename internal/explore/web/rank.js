// The screen "Answer": who should do my job? It edits a question, which the server answers with
// the request that it drafted and its result. A request of a file is ranked as it is.
import { allIn, append, choice, h, isNarrow, linkTo, once, put, title } from "./dom.js";
import { infoOf, keyOf, numberText, quote, wholeText } from "./text.js";
import { longestLink, pack, replace, to, unpack } from "./address.js";
import { criteriaMembers, endOf, endText, operators, questionOf, unitOfKey, usualTask, versionOf } from "./criteria.js";
import { failure } from "./failure.js";
import { Form, isObject } from "./form.js";
import { Results } from "./results.js";
import { answer as askAnswer, ask, rank as askRank, state } from "./source.js";
import { tools } from "./tools.js";

/** @import { Answered, Asked, Known, Question, RankRequest } from "./types" */

export async function rank(page, { query }, signal) {
  const board = new Board(page, signal);
  board.frame();
  if (state.isReport) return board.showGiven(Number(query.n) || 0);
  try {
    await board.begin(query);
  } catch (error) {
    board.refuse(["This link cannot be read: " + error.message + ". ", linkTo(to("rank"), "Ask another question")]);
  }
}

/**
 * commonest asks for the number that most models have, where there is no question to begin with.
 * @returns {Question}
 */
function commonest() {
  const key = state.overview.keys.filter((k) => k.numeric).sort((a, b) => b.holding - a.holding)[0]?.key;
  return key ? { [endOf(key)]: [key] } : { all: true };
}

export class Board {
  // Request is what is edited: of a file, or as the server drafted it of the question, of which
  // asked has all but the criteria.
  constructor(page, signal) {
    this.page = page;
    this.signal = signal;
    /** @type {RankRequest} */
    this.request = null;
    /** @type {Question} */
    this.question = null;
    /** @type {Results} */
    this.answer = null;
    this.name = ""; // of a request that the page knows
    this.hasLink = true;
    this.problem = h("div");
    this.refused = null; // the field that the server found a fault in
    this.later = once(() => this.send(), 150);
    this.form = new Form(this);
    this.answered = h("div");
    this.results = h("div.results");
    this.head = title("Answer");
  }

  frame() {
    // Where there is little room the answer comes before the question.
    const name = state.isReport ? "The question" : "Change the question";
    const question = h("details.question", { open: !isNarrow() }, h("summary", name), this.form.node);
    const lines = () => this.answer?.lines() ?? [["rank"]];
    append(
      this.page,
      h(
        "div.bar",
        this.head,
        tools("ranking", lines, () => this.hasLink),
      ),
      this.answered,
      this.problem,
      h("div.halves.uneven", question, this.results),
    );
  }

  // begin asks what the address names, or what the page knows first. What cannot be read changes
  // nothing.
  async begin(query) {
    if (query.q) {
      const question = JSON.parse(query.q);
      if (!isObject(question)) throw new Error("it has no question");
      return this.ask(question);
    }
    if (query.r) return this.take(await unpack(query.r));
    if (query.models) {
      const { models } = await ask("together", { models: query.models.split(",") });
      const known = state.overview.benchmark;
      return this.ask({
        models: [...new Set(models.map((m) => m.identity.id))],
        ...(known ? { maximize: [known] } : commonest()),
        all: undefined,
      });
    }
    const given = query.request
      ? state.extras.requests.find((r) => r.name === query.request)
      : state.extras.requests[0];
    if (query.request && !given) throw new Error("the page knows no request " + query.request);
    return this.open(given);
  }

  /**
   * open begins with what the page knows, or with the commonest number.
   * @param {Known | undefined} given
   */
  open(given) {
    this.name = given?.name ?? "";
    if (!given || given.question) return this.ask(given?.question ?? commonest());
    return this.take(structuredClone(given.request));
  }

  ask(question) {
    this.question = question;
    this.request = null;
    return this.send();
  }

  take(request) {
    if (!isObject(request) || !Array.isArray(request.inventory))
      throw new Error("this is not a rank request: it has no inventory");
    this.question = null;
    this.request = { requirements: [], preferences: [], ...request };
    put(this.problem);
    this.form.draw();
    return this.send();
  }

  changed(redraw = false) {
    if (this.question) for (const name of criteriaMembers) delete this.question[name];
    if (this.question) Object.assign(this.question, questionOf(this.request));
    if (redraw) this.form.draw();
    this.later();
  }

  // asked is the request as it is sent: before version 3 what has no weight is left out.
  asked() {
    const { request } = this;
    return versionOf(request) >= 3
      ? request
      : { ...request, preferences: (request.preferences || []).filter((p) => p.weight > 0) };
  }

  async send() {
    if (this.refused) this.check(this.refused, true); // until it is refused again
    this.refused = null;
    this.sending?.abort();
    this.sending = new AbortController();
    this.signal.addEventListener("abort", () => this.sending.abort());
    const mine = this.sending.signal;
    if (this.form.node.querySelector("[aria-invalid=true]")) return this.keep();
    try {
      const answered = await (this.question ? this.answerQuestion(mine) : askRank(this.asked(), mine));
      if (mine.aborted) return;
      this.hold(answered);
      put(this.problem);
      await this.link(mine);
      if (!mine.aborted) this.answer.draw(this);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status >= 400 && error.status < 500) this.drawFault(error);
      else
        put(
          this.results,
          failure(error, () => this.send()),
        );
    }
  }

  /**
   * hold keeps an answer to what is asked now.
   * @param {Answered} answered
   */
  hold({ result, because }) {
    const isAll = this.answer?.isAll;
    this.answer = new Results(this.asked(), result, because);
    this.answer.isAll = Boolean(isAll);
  }

  // link puts what was asked into the address: the question, or a request as far as it fits.
  async link(mine) {
    const query = this.question ? { q: JSON.stringify(this.question) } : { r: await pack(this.request) };
    if (mine.aborted) return;
    this.hasLink = Object.values(query)[0].length < longestLink;
    replace("rank", this.hasLink ? query : {});
  }

  // answerQuestion asks the question. What was drafted of it is what the form shows at first.
  async answerQuestion(mine) {
    const isPriced = infoOf("price.input") && infoOf("price.output");
    const answered = await askAnswer(
      {
        ...this.question,
        cost: this.question.cost ?? (isPriced && !this.question.measuredCost ? usualTask : undefined),
      },
      mine,
    );
    if (mine.aborted) return null;
    const isFirst = !this.request;
    const { request } = answered;
    const { preferences, requirements } = this.request ?? {};
    this.request = {
      ...request,
      preferences: preferences ?? request.preferences,
      requirements: requirements ?? request.requirements,
    };
    if (isFirst) this.form.draw();
    else this.form.count();
    return answered;
  }

  refuse(message) {
    put(this.problem, h("p.notice", { role: "alert" }, message));
  }

  // check marks a field that does not have what it takes. Nothing is asked until it has.
  check(field, isRight, message) {
    const place = field.closest("[data-path]");
    place.querySelector(".fault")?.remove();
    field.setAttribute("aria-invalid", !isRight);
    if (!isRight) append(place, h("p.fault", { role: "alert" }, message));
    return isRight;
  }

  // keep says that what is shown does not answer what the fields say now.
  keep() {
    put(this.problem, this.answer && h("p.notice", "The question has a fault: this answers the one before."));
  }

  /**
   * drawFault shows a refusal at the field that its path names.
   * @param {Asked} error
   */
  drawFault(error) {
    const path = error.path.replace(
      /^\$\.preferences\[(\d+)\]/,
      (_, i) => `$.preferences[${this.request.preferences.indexOf(this.asked().preferences[i])}]`,
    );
    const place = allIn(this.form.node, "[data-path]")
      .filter((node) => path.startsWith(node.dataset.path))
      .sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
    this.refused = place?.querySelector(/\.(value|weight)$/.test(path) ? "input:not([type=range])" : "select, input");
    if (!this.refused) {
      this.refuse(error.message);
      return this.request || this.answer
        ? undefined
        : append(this.problem, h("p", linkTo(to("rank"), "Ask another question")));
    }
    this.check(this.refused, false, error.message);
    this.keep();
  }

  // showGiven shows a request of a report with the answer that the report has.
  showGiven(n) {
    const { requests, answers } = state.extras;
    if (!requests.length) return put(this.results, h("p.empty", "This report has no rank request."));
    const at = Math.min(n, requests.length - 1);
    const { name, options, request } = requests[at];
    this.request = { requirements: [], preferences: [], ...request };
    const open = (i) => {
      replace("rank", { n: i });
      this.showGiven(Number(i));
    };
    const names = requests.map((r, i) => [String(i), r.name]);
    const unit = (c) => c.unit || unitOfKey(c.measurementKey);
    put(
      this.form.node,
      requests.length > 1 ? choice("Request", names, String(at), open) : h("p", name),
      this.given("Preferences", "preferences", (c) => `${endText(c)}, weight ${numberText(c.weight)}`),
      this.given("Requirements", "requirements", (c) => `${operators[c.operator]} ${wholeText(c.value, unit(c))}`),
      this.given("Tie breakers", "tieBreakers", endText),
      h("p.soft", "To ask again:"),
      h("p", h("code", `svc rank --catalog catalog.json ${(options || [name]).map(quote).join(" ")}`)),
    );
    this.hold(answers[at]);
    this.answer.draw(this);
  }

  // given lists the criteria of a request that nobody can edit.
  given(title, name, says) {
    const swatch = (i) => name === "preferences" && h("span", { class: `swatch series${(i % 5) + 1}` });
    const rows = (this.request[name] ?? []).map((c, i) =>
      h("li", swatch(i), h("span", keyOf(c)), h("small.soft", " " + says(c))),
    );
    return rows[0] && h("section", h("h2", title), h("ol.criteria", rows));
  }
}
