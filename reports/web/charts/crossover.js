// SPDX-License-Identifier: Apache-2.0
// Which variant is the best along a setting or a size: computed with the report, of all configurations.

/** `stencil3d 512x512x512 type=float, by radius` */
const crossoverTitle = ({ alike, along }) => `${alike}, by ${along}`;

addChart({
  id: "crossover",
  title: "Which variant wins",
  help: "The best configuration of each variant, in workloads that differ in only one setting or size. A ring marks where another variant becomes the best.",
  wide: true,
  page: true,
  below: true,
  height: 360,
  draw(_, control) {
    const all = state.data.crossovers;
    if (all.length === 0) return { empty: "No three workloads differ in only one setting or size." };
    const title = control("works", "workloads", all.map((each) => [crossoverTitle(each), crossoverTitle(each)]), crossoverTitle(all[0]));
    const { along, sections, x, lines, crossings } = all.find((each) => crossoverTitle(each) === title);
    const works = sections.map((i) => state.data.sections[i]);
    const { name, maximised, unit } = works[0].objective;
    const rated = works.every((work) => work.rate.amount > 0 && work.rate.unit === works[0].rate.unit);
    const form = control("form", "as", [...(rated ? [["rate", "work per second"]] : []), ["value", name]], rated ? "rate" : "value");
    const shown = (line, at) => form === "rate" ? works[at].rate.amount / line.seconds[at] : maximised ? 1 / line.value[at] : line.value[at];
    const text = (value, digits = 4) => form === "rate" ? si(value, works[0].rate.unit, digits) : unit ? si(value, unit, digits) : significantly(value, digits);
    const measured = (line) => x.map((_, at) => at).filter((at) => line.value[at] !== null);
    const best = x.map((_, at) => lines.filter((line) => line.value[at] !== null).sort((a, b) => a.value[at] - b.value[at])[0].variant);
    const names = lines.map((line) => line.variant).sort();
    const series = lines.map((line) => [line, names.indexOf(line.variant)]).map(([line, i]) => ({
      type: "line", name: line.variant, symbol: symbolAt(i), symbolSize: 9, itemStyle: { color: colourAt(i) }, lineStyle: { color: colourAt(i), type: lineKindAt(i), width: 2 },
      data: measured(line).map((at) => [x[at], shown(line, at)]),
    }));
    const between = (a, b, share) => a * (b / a) ** share;
    const rings = crossings.map(({ before, after, at, share }) => {
      const line = lines.find((each) => each.variant === before);
      return { before, after, value: [x[0] > 0 ? between(x[at], x[at + 1], share) : x[at] + (x[at + 1] - x[at]) * share, between(shown(line, at), shown(line, at + 1), share)] };
    });
    if (rings.length > 0)
      series.push({ type: "scatter", name: "change of the best", data: rings, symbol: "circle", symbolSize: 18, itemStyle: { color: "transparent", borderColor: ink().text, borderWidth: 2 }, z: 5,
        label: { show: true, position: "bottom", color: ink().text, fontFamily: font, formatter: ({ data }) => `${along} ≈ ${si(data.value[0], "", 2).trim()}` } });
    const tooltip = { trigger: "item", formatter: ({ seriesName, data }) => data.before
      ? `${escapeHtml(data.before)} below, ${escapeHtml(data.after)} above ${escapeHtml(along)} ≈ ${si(data.value[0], "", 3).trim()}`
      : `${escapeHtml(seriesName)}, ${escapeHtml(along)} = ${si(data[0], "", 4)}<br><strong>${text(data[1])}</strong>` };
    const xAxis = settingAxis("x", along === "size" ? "product of the extents" : along, x, (value) => si(value, "", 4).trim());
    const ys = series.flatMap((line) => line.data.map((point) => (point.value ?? point)[1]));
    return {
      option: { ...chartBase({ tooltip }), series, xAxis, yAxis: logAxis("y", form === "rate" ? works[0].rate.unit : `best ${name}`, ys, (value) => text(value, 3)) },
      events: { click: ({ data }) => { if (!data.before) location.hash = `#${works[x.indexOf(data[0])].id}`; } },
      note: `Best: ${x.map((value, at) => `${best[at]} at ${si(value, "", 4).trim()}`).join(", ")}.`,
      spoken: x.map((value, at) => `${best[at]} at ${value}`).join(", "),
      table: { head: [along, "best", ...lines.map((line) => line.variant)], rows: x.map((value, at) => [value, best[at], ...lines.map((line) => (line.value[at] === null ? "–" : text(shown(line, at))))]) },
    };
  },
});
