// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P"];

/** Up to `digits` significant digits, without trailing zeros. */
function significant(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value))) + 1;
  return Number(value.toFixed(Math.max(0, Math.min(12, digits - size)))).toString();
}

/** A number without a unit, of any size. */
function significantly(value, digits = 4) {
  const size = Math.abs(value);
  return size > 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(digits - 1) : significant(value, digits);
}

/** si(2.84e-4, "s") is "284 µs". */
function si(value, unit, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === 0 || !Number.isFinite(value)) return `${value} ${unit}`;
  let step = Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-9);
  step = Math.max(-4, Math.min(5, step));
  return `${significant(value / 1000 ** step, digits)} ${prefixes[step + 4]}${unit}`;
}

const seconds = (value, digits = 4) => si(value, "s", digits);
const percent = (share, digits = 3) => `${significant(100 * share, digits)} %`;
const signedPercent = (share) => (share > 0 ? "+" : "") + percent(share);
const times = (factor) => `${factor.toFixed(2)}×`;
/** 12,345: the browser's own way is slow to begin with. */
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (count, thing) => `${grouped(count)} ${thing}${count === 1 ? "" : "s"}`;

/** Host time: "8.4 s", "12 min". */
function duration(value) {
  if (value < 1) return si(value, "s", 2);
  if (value < 120) return `${significant(value, 3)} s`;
  if (value < 7200) return `${significant(value / 60, 3)} min`;
  return `${significant(value / 3600, 3)} h`;
}

const mid = (values) => {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** Round numbers on a logarithmic axis from low to high: as fine as it takes for four of them. */
function logTicks(low, high) {
  const grids = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7], [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9]];
  let ticks = [];
  for (const grid of grids) {
    ticks = [];
    for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.log10(high) + 1; power++)
      for (const digit of grid) {
        const value = Number((digit * 10 ** power).toPrecision(3));
        if (value >= low && value <= high) ticks.push(value);
      }
    if (ticks.length >= 4) return ticks;
  }
  // Less than a factor of about 1.5 is left: equal steps look the same.
  const step = 10 ** Math.floor(Math.log10((high - low) / 4));
  const round = [1, 2, 5, 10].map((n) => n * step).find((s) => (high - low) / s <= 6);
  ticks = [];
  for (let value = Math.ceil(low / round) * round; value <= high; value += round) ticks.push(Number(value.toPrecision(6)));
  return ticks;
}

/** `samples` of `sample`, `queries` of `query`, `boxes` of `box`. */
function plural(noun) {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
