// The drawing of a plot: axes, the frontier, and a mark for each point.
import { h, hasFocus, isNarrow, label, line, put, append, s } from "./dom.js";
import { count, groupsOf, joined, labelOf, nameOfKey, plainName, wholeText } from "./text.js";
import { toModel } from "./address.js";
import { fullName, shortName, tail } from "./points.js";
import { scaleOf, spaced, tickText } from "./scale.js";

/** @import { Axis, Point } from "./types" */

const wide = { height: 560, left: 64, right: 20, top: 28, bottom: 52 };
const narrow = { height: 460, left: 48, right: 12, top: 28, bottom: 56 };
const atOnce = 400; // points that are drawn before anything else has a turn
const mostLabels = 12;

// Drawing lays points out for the width that there is: no text is made smaller or larger.
export class Drawing {
  /**
   * @param {Point[]} points
   * @param {Axis} x
   * @param {Axis} y
   * @param {number} width
   * @param {(p: Point) => void} detail is told which point is looked at
   */
  constructor(points, x, y, width, detail) {
    const { height, left, right, top, bottom } = isNarrow() ? narrow : wide;
    this.x = x;
    this.y = y;
    this.detail = detail;
    this.frame = { width, height, left, right: width - right, top, bottom: height - bottom };
    const { frame } = this;
    this.across = scaleOf(valuesOf(points, "x"), x, frame.left, frame.right);
    this.up = scaleOf(valuesOf(points, "y"), y, frame.bottom, frame.top);
    this.points = [...points].sort((a, b) => this.px(a) - this.px(b) || this.py(a) - this.py(b));
    this.front = this.points.filter((p) => p.front);
    this.hover = s("g.hover");
    /** @type {Map<Point, SVGElement>} */
    this.marks = new Map();
  }

  /** @param {Point} p */
  px(p) {
    return this.across.place(p.x.value);
  }

  /** @param {Point} p */
  py(p) {
    return this.up.place(p.y.value);
  }

  node() {
    const { width, height } = this.frame;
    const named = `${nameOfKey(this.y.key)} against ${nameOfKey(this.x.key)}: ${count(this.points.length, "point")}`;
    const onkeydown = (event) => this.move(event);
    const path = this.frontPath(this.front.filter((p) => !p.free));
    return s(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "group", "aria-label": named, onkeydown },
      this.grid(),
      path && s("path", { d: path.region, class: "region" }),
      this.lanes(),
      this.axes(),
      s("g.errors", this.bars(this.front)),
      path && s("path", { d: path.line, class: "frontier" }),
      this.crowd(),
      this.front.map((p) => this.mark(p)),
      s("g.labels", this.labels()),
      this.hover,
    );
  }

  grid() {
    const { left, right, top, bottom } = this.frame;
    const { across, up } = this;
    return s(
      "g.grid",
      across.ticks.map((t) => line(across.place(t), across.place(t), top, bottom)),
      up.ticks.map((t) => line(left, right, up.place(t), up.place(t))),
    );
  }

  // lanes are cut off from logarithmic axes for what is 0.
  lanes() {
    const { left, right, top, bottom } = this.frame;
    const [x, y] = [this.across.lane, this.up.lane];
    return [
      x > 0 &&
        s(
          "g.cut",
          line(left + x * 0.8, left + x * 0.8, top, bottom),
          label(left + x * 0.4, bottom + 18, "0", "middle"),
        ),
      y < 0 &&
        s(
          "g.cut",
          line(left, right, bottom + y * 0.8, bottom + y * 0.8),
          label(left - 8, bottom + y * 0.4 + 4, "0", "end"),
        ),
    ];
  }

  axes() {
    const { height, left, right, bottom } = this.frame;
    const { across, up, x, y } = this;
    const end = (axis) => (isNarrow() ? "" : ` (${axis.less ? "less" : "more"} is better)`);
    return [
      s(
        "g.ticks",
        spaced(across.ticks, across.place, 44).map((t) =>
          label(across.place(t), bottom + 18, tickText(t, x.unit), "middle"),
        ),
        spaced(up.ticks, up.place, 20).map((t) => label(left - 8, up.place(t) + 4, tickText(t, y.unit), "end")),
      ),
      s(
        "g.names",
        label(0, 14, `↑ ${labelOf(y.key, y.unit)}${end(y)}`),
        label(right, height - 8, `${labelOf(x.key, x.unit)}${end(x)} →`, "end"),
      ),
    ];
  }

  // crowd is all that is not on the frontier. Of thousands some are drawn at a time, so that nothing
  // else has to wait.
  crowd() {
    const list = this.points.filter((p) => !p.front);
    const group = s("g");
    const draw = (from) => {
      append(
        group,
        list.slice(from, from + atOnce).map((p) => this.mark(p)),
      );
      if (from + atOnce < list.length) setTimeout(() => group.isConnected && draw(from + atOnce));
    };
    draw(0);
    return group;
  }

  /**
   * mark leads to the model. Who looks at it sees its name and its numbers.
   * @param {Point} p
   */
  mark(p) {
    if (this.marks.has(p)) return this.marks.get(p);
    const kinds = [p.front && "front", p.colour && "series" + p.colour, p.unsure && "unsure"];
    const kind = joined(["dot", ...kinds, p.lent && "lent", p.dear && "dear"], " ");
    const [x, y, r] = [this.px(p), this.py(p), p.front ? 5 : p.dear ? 2 : 4];
    const values = `${wholeText(p.y.value, p.y.unit)}, ${wholeText(p.x.value, p.x.unit)}`;
    const show = () => this.show(p);
    const hide = () => put(this.hover);
    const node = s(
      "a.hit",
      {
        href: toModel(p.key),
        tabindex: p.front ? "0" : "-1",
        "aria-label": `${fullName(p)}: ${values}${p.front ? ", on the frontier" : ""}`,
        onmouseenter: show,
        onfocus: show,
        onblur: hide,
        onmouseleave: hide,
      },
      s("circle", { cx: x, cy: y, r: 12, class: "area" }),
      p.lent
        ? s("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, class: kind })
        : s("circle", { cx: x, cy: y, r, class: kind }),
    );
    this.marks.set(p, node);
    return node;
  }

  show(p) {
    const [x, { width }] = [this.px(p), this.frame];
    const anchor = x > width * 0.7 ? "end" : x < width * 0.3 ? "start" : "middle";
    put(this.hover, p.front ? null : s("g.errors", this.bars([p])), label(x, this.py(p) - 12, shortName(p), anchor));
    this.detail(p);
  }

  // move leads from point to point by the arrow keys.
  move(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step) return;
    const { points } = this;
    const at = points.findIndex((p) => hasFocus(this.mark(p)));
    this.mark(points[(at + step + points.length) % points.length]).focus();
    event.preventDefault();
  }

  // bars are the intervals of points. The axes span the values; what is beyond them of an interval
  // is cut off.
  bars(points) {
    const { left, right, top, bottom } = this.frame;
    const across = (v) => Math.min(right, Math.max(left, this.across.place(v)));
    const up = (v) => Math.min(bottom, Math.max(top, this.up.place(v)));
    return points.flatMap((p) => [
      p.y.low !== null && line(this.px(p), this.px(p), up(p.y.low), up(p.y.high)),
      p.x.low !== null && line(across(p.x.low), across(p.x.high), this.py(p), this.py(p)),
    ]);
  }

  // frontPath is the step line through the frontier, and the region beyond it that nobody reaches.
  frontPath(front) {
    if (!front.length) return null;
    const { left, right, top, bottom } = this.frame;
    const order = this.x.less ? front : [...front].reverse();
    const [near, far] = this.x.less ? [left, right] : [right, left];
    const [worse, best] = this.y.less ? [top, bottom] : [bottom, top];
    const steps = order.map((p) => `H${this.px(p)}V${this.py(p)}`).join("");
    const line = `M${this.px(order[0])} ${worse}${steps}H${far}`;
    return { line, region: `${line}V${best}H${near}V${worse}Z` };
  }

  // labels names some of the frontier without overlap, each where it covers the fewest points. A model
  // has one for each condition, whoever sells it.
  labels() {
    const all = [...groupsOf(this.front, (p) => p.key + " " + p.condition).values()].map(([first]) => first);
    const last = all.length - 1;
    const some = all.filter((_, i) => i % Math.ceil(last / (mostLabels - 1) || 1) === 0 || i === last);
    const taken = some.map((p) => this.box(p));
    const crowd = this.points.map((p) => this.box(p));
    const font = isNarrow() ? 14 : 12; // as the style has it
    const pen = h("canvas").getContext("2d");
    pen.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
    return some.map((p) => {
      const isAlone = all.filter((q) => q.key === p.key).length < 2;
      const text = tail(plainName(p.model)) + (isAlone ? "" : " " + (p.condition || ""));
      const boxes = this.boxes(p, pen.measureText(text).width, font).filter((box) => isFree(box, taken));
      const [box] = boxes.sort((a, b) => covered(a, crowd) - covered(b, crowd));
      if (box) taken.push(box);
      return box && label(box.x, box.y, text, box.anchor);
    });
  }

  box(p) {
    const [x, y] = [this.px(p), this.py(p)];
    return { left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 };
  }

  // boxes are the places around a point where its name is inside the frame, the best first.
  boxes(p, long, font) {
    const [px, py] = [this.px(p), this.py(p)];
    const places = [
      { x: px - 8, y: py - 8, anchor: "end" },
      { x: px + 8, y: py + 14, anchor: "start" },
      { x: px + 8, y: py - 8, anchor: "start" },
      { x: px - 8, y: py + 16, anchor: "end" },
      { x: px, y: py - 14, anchor: "middle" },
      { x: px, y: py - 28, anchor: "middle" },
    ];
    return places
      .map((place) => {
        const left = place.x - { end: long, middle: long / 2, start: 0 }[place.anchor];
        return { ...place, left, right: left + long, top: place.y - font, bottom: place.y + font / 4 };
      })
      .filter(
        (box) =>
          box.left > this.frame.left &&
          box.right < this.frame.width - 4 &&
          box.top > 18 &&
          box.bottom < this.frame.bottom,
      );
  }
}

const valuesOf = (points, name) => points.map((p) => p[name].value);

const covered = (box, boxes) =>
  boxes.filter((t) => box.left < t.right && box.right > t.left && box.top < t.bottom && box.bottom > t.top).length;
const isFree = (box, boxes) => covered(box, boxes) === 0;
