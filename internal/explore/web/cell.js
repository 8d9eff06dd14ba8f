// A cell of a table of models: one value, a range, or what expired.
import { h, linkTo } from "./dom.js";
import { count, day, exactText, joined, labelOf, shortText, unitText, valueText, wholeText } from "./text.js";
import { toModel } from "./address.js";

/** @import { Cell, Mean, Span } from "./types" */

/**
 * isOne tells of a cell that is one number.
 * @param {Cell} cell
 */
const isOne = ({ low = null, high }) => low !== null && low === high;

/**
 * decimalsOf is how many decimals a cell has that is one number.
 * @param {Cell | null} c
 */
export const decimalsOf = (c) => (c?.n && isOne(c) ? (moneyText(c.low, c.unit).split(".")[1]?.length ?? 0) : 0);

// moneyText is a number with the dollar of a price.
const moneyText = (value, unit) =>
  typeof value === "number" && (unit || "").startsWith("USD")
    ? shortText(value, unit).replace(" / M", "")
    : valueText(value, unit);

/**
 * cellOf shows one value, the range where values differ by scope, what samples come to and where, and
 * a dash for what nobody says. The value leads to its evidence on the time line of the model.
 * @param {string} key
 * @param {Cell | null} cell
 * @param {Span | null} bounds of the column
 * @param {string} model its key
 */
export function cellOf(key, cell, bounds, model, decimals = 0) {
  const name = labelOf(key, bounds?.unit);
  if (!cell || (!cell.n && !cell.last)) return h("td.number.none", { "data-label": name }, "–");
  const leads = (...text) => linkTo(toModel(model, key, cell.only), text);
  if (!cell.n) {
    const { value, unit, until } = cell.last;
    const title = `${until ? "expired on " + day(until) : "invalid"}: ${exactText(value, unit)}`;
    return h("td.number.gone", { "data-label": name, title }, leads(valueText(value, unit)));
  }
  const text = shown(cell);
  return h(
    "td.number",
    { title: exactly(cell), "data-label": name },
    cell.conflict && h("span.conflict", "◆\u00a0", h("span.away", "contradictory: ")),
    leads(text),
    typeof text === "string" && isOne(cell) && padding(text, decimals),
    cell.unit && bounds && cell.unit !== bounds.unit && h("small", " " + unitText(cell.unit)),
    ends(cell),
  );
}

/**
 * shown is what holds, as short as a table needs it.
 * @param {Cell} cell
 */
function shown(cell) {
  const { unit, low = null, high, texts = [] } = cell;
  if (cell.mixed) return "several units";
  if (low === null) return texts.map((t) => saidBy(t, cell)).flatMap((part, i) => (i ? [" or ", part] : [part]));
  return isOne(cell) ? moneyText(low, unit) : h("span.whole", `${moneyText(low, unit)} – ${moneyText(high, unit)}`);
}

/**
 * exactly is what holds with all digits.
 * @param {Cell} cell
 */
function exactly(cell) {
  const { n, unit, low = null, high, texts = [], means } = cell;
  if (means?.[1])
    return means
      .map((m) => `${conditionOf(m)}: ${wholeText(m.value, m.unit)}, ${count(m.estimate?.tasks || 1, "task")}`)
      .join("\n");
  if (low === null) return texts.map((t) => exactText(t, unit)).join(" or ");
  return isOne(cell) ? exactText(low, unit) : `${n} values from ${exactText(low)} to ${exactText(high, unit)}`;
}

// padding puts the points of the numbers of a column below each other.
function padding(text, decimals) {
  const [, after] = text.split(".");
  const missing = decimals - (after?.length ?? 0);
  return (
    missing > 0 && h("span.pad", { "aria-hidden": "true" }, (after === undefined ? "." : "") + "0".repeat(missing))
  );
}

/**
 * ends names the ways in which the least and the greatest of several means were measured.
 * @param {Cell} cell
 */
function ends({ means, low, high }) {
  if (!means?.[1] || low === high) return null;
  const text = [means[0], means.at(-1)].map(conditionOf).join(" – ");
  return h("small.soft.ends", text.replace(/(\w+=)(.*) – \1/, "$1$2 – ")); // effort=low – high
}

/**
 * saidBy is a text, or yes or no with who says so where others say otherwise.
 * @param {Cell} cell
 */
function saidBy(value, cell) {
  const who = cell.says?.[value === true ? "yes" : "no"];
  if (!who) return valueText(value);
  const names = joined([...who.slice(0, 3), who.length > 3 && `${who.length - 3} more`], ", ");
  return h("span", valueText(value), h("small.soft.who", " " + names));
}

/**
 * conditionOf names the way in which something was measured.
 * @param {Mean} mean
 */
const conditionOf = ({ execution: { workflow } }) => workflow?.condition || "unstated";
