// Scales of a plot: where values are, and the ticks of an axis.
import { numberText, perToken, priceText } from "./text.js";

/** @import { Axis } from "./types" */

// scaleOf maps values to places. Zeros have a lane of their own, cut off from a log axis.
export function scaleOf(all, axis, from, to) {
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

export function tickText(value, unit) {
  if (unit === perToken) return priceText(value, 0);
  if (Math.abs(value) >= 1e6) return numberText(value / 1e6) + " M";
  if (Math.abs(value) >= 1e4) return numberText(value / 1e3) + " k";
  return numberText(value);
}

// spaced leaves out ticks that would be too near to the one before.
export function spaced(ticks, place, gap) {
  let last = -Infinity;
  return [...ticks]
    .sort((a, b) => place(a) - place(b))
    .filter((t) => {
      if (place(t) - last < gap) return false;
      last = place(t);
      return true;
    });
}
