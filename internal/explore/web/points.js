// The points of a plot: how they are named, and which of them are on the frontier.
import { isNarrow } from "./dom.js";
import { compareText, groupsOf, joined, plainName, sureness } from "./text.js";

/** @import { Axis, Coordinate, Estimate, Plot, Point } from "./types" */

// isNamed tells of a model that runs in several ways. Else its name says enough.
export const isNamed = ({ id, model }) => id !== model.id;

/**
 * whereOf says where a point runs: some of the places that sell a model at one price, and the
 * condition.
 * @param {Point} point
 */
export function whereOf({ where, runtimes, condition }, most = 99) {
  if (where.length < 2) return where[0];
  return joined(
    [...runtimes.slice(0, most), runtimes.length > most && `${runtimes.length - most} more`, condition],
    ", ",
  );
}

export const fullName = (p) => plainName(p.model) + (isNamed(p) ? " on " + whereOf(p) : "");

// tail is a name without its maker, and shortName as a label has it.
export const tail = (id) => id.slice(id.lastIndexOf("/") + 1);
const cut = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);
export const shortName = (p) =>
  cut(tail(plainName(p.model)), 34) + (isNamed(p) ? cut(" on " + whereOf(p, 1), isNarrow() ? 18 : 40) : "");

export const makerOf = ({ model: { id } }) => (id.includes("/") ? id.split("/")[0] : "");

// better is a number that is greater for the better of two values.
export const better = (axis, value) => (axis.less ? -value : value);

/**
 * pointsOf are the points of some models, or of one seller of them, with what is found of them.
 * @param {Plot} found
 * @param {Set<string>} keys of the models
 * @param {string} seller or nothing
 * @param {Axis} x
 * @param {Axis} y
 */
export function pointsOf(found, keys, seller, x, y) {
  const points = found.points
    .filter((p) => keys.has(p.key) && (!seller || p.runtimes.includes(seller)))
    .map((p) => (seller ? { ...p, where: p.where.filter((_, i) => p.runtimes[i] === seller), runtimes: [seller] } : p))
    .map((p) => ({ ...p, x: { ...p.x, ...interval(p.x.estimate) }, y: { ...p.y, ...interval(p.y.estimate) } }));
  findFrontier(points, x, y);
  findDearer(points, x.known.fact ? x : y);
  findColours(points);
  return points;
}

/**
 * interval is the ends of an estimate and its method in words.
 * @param {Estimate | null} e
 */
function interval(e) {
  if (!e || e.low === null || e.basis === "exact")
    return { low: null, high: null, says: e && e.basis !== "exact" && "no interval" };
  return { low: e.low, high: e.high, says: sureness(e) };
}

/**
 * findFrontier marks the points than which nobody is better on both. What is free may be limited or
 * end: nothing that is paid for leaves the frontier because of it.
 * @param {Point[]} points
 */
function findFrontier(points, x, y) {
  /** @type {(v: Coordinate) => boolean} */
  const isFree = (v) => v.value === 0 && (v.unit ?? "").startsWith("USD");
  for (const p of points) p.free = isFree(p.x) || isFree(p.y);
  for (const some of groupsOf(points, (p) => p.free).values()) markBest(some, x, y);
}

// markBest marks the best of some points. One is hollow whose interval overlaps that of any cheaper
// one of them: it is not shown to be better.
function markBest(points, x, y) {
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
