// SPDX-License-Identifier: Apache-2.0
// Error against time, and what the kernels need against time.

const figures = {
  error: { name: "largest error", log: true, text: (value) => value.toExponential(1) },
  registers: { name: "registers per thread", text: String },
  occupancy: { name: "occupancy", text: (value) => percent(value) },
  shared: { name: "shared memory per block", text: (value) => `${significant(value / 1024, 3)} KiB` },
  spills: { name: "spilled bytes per thread", text: String },
};

/** The two quantities of a front. */
function frontColumn(view, id, part) {
  const shown = (value) => (part.maximised ? 1 / value : value);
  return { name: part.name, log: true, better: part.maximised ? 1 : -1, at: (row) => shown(view.rows[id][row]),
    text: (value) => (part.unit ? si(value, part.unit, 4) : String(significant(value, 4))) };
}

/** What can be an axis: {name, at(row), text, log, better: -1 where less is better, 1 where more is}. */
function scatterColumns(view) {
  const columns = new Map([["value", { name: view.quantity, at: (row) => view.rows.value[row], value: true, better: -1 }]]);
  for (const [id, figure] of Object.entries(figures))
    if (view.rows[id].some((value) => value !== null && (id === "error" || value > 0)))
      columns.set(id, { ...figure, at: (row) => view.rows[id][row], better: id === "occupancy" ? 1 : -1 });
  for (const id of Object.keys(view.rows).filter((name) => name.startsWith("metric-")))
    columns.set(id, { name: id.slice("metric-".length), text: (value) => String(significant(value, 4)), better: 0, at: (row) => view.rows[id][row] });
  view.objective.parts?.forEach((part, i) => columns.set(`front-${i}`, frontColumn(view, ["first", "second"][i], part)));
  for (const i of view.varied)
    if (view.parameters[i].numeric) columns.set(`parameter-${view.parameters[i].name}`, { name: view.parameters[i].name, text: String, better: 0,
      at: (row) => (view.level(i, row) < 0 ? null : view.parameters[i].values[view.level(i, row)]) });
  return columns;
}

/** Rows that no other beats in both columns. */
function paretoFront(x, y, rows) {
  const front = [];
  const cost = (column, row) => -column.better * column.at(row);
  let least = Infinity;
  for (const row of [...rows].sort((a, b) => cost(y, a) - cost(y, b) || cost(x, a) - cost(x, b))) {
    if (cost(x, row) >= least) continue;
    least = cost(x, row);
    front.push(row);
  }
  return front;
}

/** An axis of a column, and where a row lies on it: zeros lie at the edge of a logarithmic one. */
function scatterAxis(view, way, column, rows) {
  if (column.value) return { axis: view.valueAxis(way, column.name, rows.map(column.at)), at: column.at };
  const positive = rows.map(column.at).filter((value) => value > 0);
  if (!column.log || positive.length === 0) return { axis: valueAxis(way, column.name, column.text, { scale: true }), at: column.at };
  const edge = positive.length < rows.length ? extentOf(positive)[0] / 2 : 0;
  return { axis: logAxis(way, column.name, edge ? positive.concat(edge) : positive, (value) => String(Number(value.toPrecision(2)).toExponential())), at: (row) => Math.max(column.at(row), edge) };
}

addChart({
  id: "scatter",
  title: "Any two figures",
  help: "Each point is a configuration; choose a figure or parameter for each axis. The line is the Pareto front: no configuration is better in both. For time and error it shows the price of a smaller error.",
  height: 380,
  draw(view, control) {
    if (view.count === 0) return { empty: "No configuration was measured." };
    const columns = scatterColumns(view);
    const options = [...columns].map(([id, { name }]) => [id, name]);
    const byFront = columns.has("front-0");
    const x = columns.get(control("x", "across", options, byFront ? "front-0" : columns.has("error") ? "error" : options.at(-1)[0]));
    const y = columns.get(control("y", "up", options, byFront ? "front-1" : "value"));
    const rows = view.indices.filter((row) => x.at(row) !== null && y.at(row) !== null);
    const across = scatterAxis(view, "x", x, rows), up = scatterAxis(view, "y", y, rows);
    const point = (row) => ({ value: [across.at(row), up.at(row)], row });
    const series = view.groups.map((group, i) => ({
      type: "scatter", name: group, symbol: symbolAt(i), symbolSize: view.count > 1500 ? 5 : 7, itemStyle: { color: colourAt(i), opacity: 0.6 },
      data: rows.filter((row) => Math.max(0, view.groupOf(row)) === i).map(point),
    })).filter((points) => points.data.length > 0);
    const front = x.better && y.better && x !== y ? paretoFront(x, y, rows) : [];
    const colours = ink();
    if (front.length > 0)
      series.push({ type: "line", name: "not beaten in both", data: front.map(point), symbol: "circle", symbolSize: 6, lineStyle: { color: colours.text, width: 1.5 }, itemStyle: { color: colours.text }, z: 4 });
    if (rows[0] === 0)
      series.push({ type: "scatter", name: "winner", data: [point(0)], symbol: "diamond", symbolSize: 16, itemStyle: { color: colourAt(1), borderColor: colours.surface, borderWidth: 1 }, z: 5 });
    const shown = (column, row) => (column.value ? view.text(column.at(row)) : column.text(column.at(row)));
    const tooltip = { trigger: "item", formatter: ({ data }) => view.tip(data.row, [x, y].filter((column) => !column.value).map((column) => `${escapeHtml(column.name)}: ${shown(column, data.row)}`).join("<br>")) };
    const listed = front.length > 0 ? front : rows.slice(0, 100);
    return {
      option: { ...chartBase({ tooltip }), series, xAxis: across.axis, yAxis: up.axis },
      spoken: `${x.name} and ${y.name} of ${counted(rows.length, "configuration")}`,
      table: { head: [x.name, y.name, "configuration"], rows: listed.map((row) => [shown(x, row), shown(y, row), view.describe(row).join(" ")]) },
    };
  },
});
