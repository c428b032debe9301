// SPDX-License-Identifier: Apache-2.0
// Time against size, radius, steps and what else is a number, where there are results of several.

/** By what the sections that differ from this one in a single number differ: {name, sections, x}. */
function scalings(view) {
  const alike = state.data.sections.filter((other) => other.problem === view.problem && sameDevice(other, view) && other.rows.time.length > 0);
  const text = (object, without) => JSON.stringify(Object.entries(object).filter(([name]) => name !== without));
  const found = [];
  const add = (name, sections, x) => {
    const distinct = new Map(); // the newest sources of each value come last in the file: they count
    for (const section of sections) distinct.set(x(section), section);
    if (distinct.size > 1) found.push({ name, sections: [...distinct.values()].sort((a, b) => x(a) - x(b)), x });
  };
  const names = new Set(alike.flatMap((other) => Object.entries(other.settings).filter(([, value]) => typeof value === "number").map(([name]) => name)));
  for (const name of names) {
    // A setting that is left out has its default, which for counts is 1.
    const x = (section) => section.settings[name] ?? 1;
    add(name, alike.filter((other) => text(other.extents) === text(view.extents) && text(other.settings, name) === text(view.settings, name)), x);
  }
  for (const name of Object.keys(view.extents))
    add(name, alike.filter((other) => text(other.settings) === text(view.settings) && text(other.extents, name) === text(view.extents, name)), (section) => section.extents[name]);
  const sizes = alike.filter((other) => text(other.settings) === text(view.settings));
  add("size", sizes, (section) => Object.values(section.extents).reduce((product, extent) => product * extent, 1));
  return found;
}

/** Best time of each group in each section: name -> [time or null]. */
function groupTimes(sections) {
  const lines = new Map();
  sections.forEach((section, at) => {
    const view = sectionView(section);
    for (const row of view.indices) {
      const name = view.groups[Math.max(0, view.groupOf(row))];
      if (!lines.has(name)) lines.set(name, new Array(sections.length).fill(null));
      lines.get(name)[at] ??= view.rows.time[row]; // rows come the best first
    }
  });
  return lines;
}

/** Where the fastest changes between neighbouring values: where the two lines cross on logarithmic axes. */
function crossovers(xs, lines) {
  const best = xs.map((_, at) => [...lines].filter(([, line]) => line[at] !== null).sort((a, b) => a[1][at] - b[1][at])[0]?.[0]);
  const found = [];
  for (let at = 0; at + 1 < xs.length; at++) {
    const [before, after] = [best[at], best[at + 1]];
    if (!before || !after || before === after) continue;
    const gap = (k) => (lines.get(before)[k] === null || lines.get(after)[k] === null ? null : Math.log(lines.get(after)[k] / lines.get(before)[k]));
    const [g0, g1] = [gap(at), gap(at + 1)];
    if (g0 === null || g1 === null || g0 <= 0 || g1 >= 0) continue; // one of the two was not measured on both sides
    const t = g0 / (g0 - g1);
    const between = (a, b) => Math.exp(Math.log(a) * (1 - t) + Math.log(b) * t);
    found.push({ before, after, value: [between(xs[at], xs[at + 1]), between(lines.get(before)[at], lines.get(before)[at + 1])] });
  }
  return found;
}

addChart({
  id: "scaling",
  title: "Time against size and settings",
  help: "The best of each variant in the sections that differ from this one in one number only. A ring marks where another variant becomes the fastest.",
  draw(view, control) {
    const found = scalings(view);
    if (found.length === 0) return { empty: "The report has no other section of this problem and device that differs in one size or numeric setting only." };
    const name = control("along", "along", found.map((each) => [each.name, each.name]), found[0].name);
    const { sections, x } = found.find((each) => each.name === name);
    const xs = sections.map(x);
    const form = control("form", "as", [["time", "time"], ["rate", "work a second"]], "time");
    const lines = groupTimes(sections);
    const shownAs = (time, at) => (form === "time" ? time : sections[at].work.items / time);
    const item = sections[0].work.item;
    const label = form === "time" ? (value) => seconds(value, 3) : (value) => si(value, "", 3);
    const series = [...lines].map(([group, times], i) => ({
      type: "line", name: group, symbol: symbolAt(i), symbolSize: 9, connectNulls: true,
      itemStyle: { color: colourAt(i) }, lineStyle: { color: colourAt(i), type: lineKindAt(i), width: 2 },
      data: times.map((time, at) => (time === null ? null : [xs[at], shownAs(time, at)])).filter(Boolean),
    }));
    const crossings = form === "time" ? crossovers(xs, lines) : [];
    if (crossings.length > 0)
      series.push({ type: "scatter", name: "crossover", data: crossings, symbol: "circle", symbolSize: 18, itemStyle: { color: "transparent", borderColor: ink().text, borderWidth: 2 }, z: 5,
        label: { show: true, position: "bottom", color: ink().text, fontFamily: font, formatter: ({ data }) => `${name} ≈ ${significant(data.value[0], 2)}` } });
    const values = series.flatMap((line) => line.data.map((point) => (point.value ?? point)[1]));
    const tooltip = { trigger: "item", formatter: ({ seriesName, data }) => data.before
      ? `${escapeHtml(data.before)} below, ${escapeHtml(data.after)} above ${escapeHtml(name)} ≈ ${significant(data.value[0], 3)}`
      : `${escapeHtml(seriesName)}, ${escapeHtml(name)} = ${si(data[0], "", 4)}<br><strong>${label(data[1])}${form === "time" ? "" : `${escapeHtml(item)}s/s`}</strong>` };
    const xAxis = logAxis("x", name === "size" ? "cells (product of the extents)" : name, xs, (value) => si(value, "", 4).trim());
    for (const part of ["axisLabel", "axisTick", "splitLine"]) xAxis[part] = { ...xAxis[part], customValues: xs };
    return {
      option: { ...chartBase({ tooltip }), series, xAxis, yAxis: logAxis("y", form === "time" ? "best time" : `${item}s a second`, values, label) },
      note: new Set(sections.map((section) => section.sources)).size > 1 ? "The sections were tuned with different kernel sources." : "",
      spoken: `by ${name}: ${xs.join(", ")}`,
      table: { head: [name, ...lines.keys()], rows: xs.map((value, at) => [value, ...[...lines.values()].map((times) => (times[at] === null ? "–" : label(shownAs(times[at], at))))]) },
    };
  },
});
