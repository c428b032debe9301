// SPDX-License-Identifier: Apache-2.0
// Two parameters against each other.

/** A frame around a cell, for a custom series. */
function framed(_, api) {
  const [x, y] = api.coord([api.value(0), api.value(1)]);
  const [wide, tall] = api.size([1, 1]);
  return { type: "rect", shape: { x: x - wide / 2, y: y - tall / 2, width: wide, height: tall }, style: { fill: "none", stroke: frameColour, lineWidth: 4 } };
}

/** Cells {x, y, row, value, count} of the best or the median value. */
function pairCells(view, a, b, statistic) {
  const cells = new Map();
  const rows = statistic === "best" ? view.indices : view.even;
  for (const row of rows) {
    const [x, y] = [view.level(a, row), view.level(b, row)];
    if (x < 0 || y < 0) continue;
    const key = x * 10000 + y;
    if (!cells.has(key)) cells.set(key, { x, y, row, times: [] }); // rows come the best first
    cells.get(key).times.push(view.rows.value[row]);
  }
  return [...cells.values()].map(({ x, y, row, times }) => ({ x, y, row, count: times.length, value: statistic === "best" ? view.rows.value[row] : mid(times) }));
}

addChart({
  id: "heatmap",
  title: "Two parameters together",
  help: "Each cell shows the best (or median) result of the configurations with these two values. The chart begins with the two parameters that explain most.",
  height: 420,
  draw(view, control) {
    const usable = view.varied.filter((i) => view.parameters[i].values.length <= 40);
    if (usable.length < 2) return { empty: "There are no two parameters with several measured values." };
    const names = usable.map((i) => [view.parameters[i].name, view.parameters[i].name]);
    const index = (name) => view.parameters.findIndex((parameter) => parameter.name === name);
    const first = view.pair ?? [usable[0], usable[1]];
    const a = index(control("x", "across", names, view.parameters[first[0]].name));
    const rest = names.filter(([name]) => name !== view.parameters[a].name);
    const b = index(control("y", "up", rest, view.parameters[first[1] === a ? first[0] : first[1]].name));
    const statistic = control("statistic", "cells", [["best", `best ${view.quantity}`], ["median", `median ${view.quantity}`]], "best");
    const cells = pairCells(view, a, b, statistic);
    if (cells.length === 0) return { empty: "No configuration has both of these parameters." };
    const [low, high] = extentOf(cells.map((cell) => cell.value)).map(Math.log10);
    const share = (value) => (high > low ? (Math.log10(value) - low) / (high - low) : 0);
    const [wide, tall] = [view.parameters[a].values.length, view.parameters[b].values.length];
    const winner = view.level(a, 0) >= 0 && view.level(b, 0) >= 0 ? [[view.level(a, 0), view.level(b, 0)]] : [];
    const roomy = wide <= 9 && tall <= 16;
    const data = cells.map((cell) => ({
      value: [cell.x, cell.y, Math.log10(cell.value)], cell,
      label: { color: readableOn(share(cell.value)) },
    }));
    const tooltip = { trigger: "item", formatter: ({ data: { cell } }) =>
      `${escapeHtml(view.parameters[a].name)} = ${escapeHtml(view.valueText(a, cell.x))}, ${escapeHtml(view.parameters[b].name)} = ${escapeHtml(view.valueText(b, cell.y))}<br>` +
      (statistic === "best" ? view.tip(cell.row) : `<strong>${view.text(cell.value)}</strong>, median of ${counted(cell.count, "configuration")}`) };
    const base = chartBase({ tooltip, legend: { show: false } });
    base.grid = { ...base.grid, top: 30, bottom: 76, right: 16 };
    const unnamed = { splitArea: { show: false }, axisTick: { show: false } };
    return {
      height: Math.max(300, Math.min(640, 134 + 30 * tall)),
      option: {
        ...base,
        xAxis: categoryAxis("x", view.parameters[a].name, view.parameters[a].values.map(String), unnamed),
        yAxis: categoryAxis("y", view.parameters[b].name, view.parameters[b].values.map(String), unnamed),
        visualMap: { type: "continuous", min: low, max: high > low ? high : low + 1e-6, dimension: 2, calculable: false, orient: "horizontal", left: "center", bottom: 0,
          itemHeight: forced ? 90 : 160, itemWidth: 12, seriesIndex: 0, inRange: { color: sequence() }, text: view.byTime ? [`slow ${view.text(10 ** high, 3)}`, `${view.text(10 ** low, 3)} fast`] : [`worst ${view.text(10 ** high, 3)}`, `${view.text(10 ** low, 3)} best`],
          textStyle: { color: ink().text, fontFamily: font } },
        series: [{ type: "heatmap", data, itemStyle: { borderColor: ink().surface, borderWidth: 1 },
          label: { show: roomy, fontFamily: font, fontSize: 11, formatter: ({ data: { cell } }) => view.text(cell.value, 3) },
          emphasis: { itemStyle: { borderColor: ink().text, borderWidth: 2 } } },
        { type: "custom", silent: true, z: 4, data: winner, renderItem: framed }],
      },
      note: "The frame marks the winner. Empty cells have no measured configuration." +
        (statistic === "median" && view.even.length < view.measured ? " Medians are of a uniform part of the configurations." : ""),
      spoken: `${view.parameters[a].name} and ${view.parameters[b].name}, ${cells.length} cells`,
      table: { head: [view.parameters[a].name, view.parameters[b].name, statistic === "best" ? "best" : "median"],
        rows: [...cells].sort((p, q) => p.value - q.value).slice(0, 50).map((cell) => [view.valueText(a, cell.x), view.valueText(b, cell.y), view.text(cell.value)]) },
    };
  },
});
