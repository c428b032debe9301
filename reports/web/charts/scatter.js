// SPDX-License-Identifier: Apache-2.0
// Error against time, and what the kernels need against time.

const figures = {
  error: { name: "largest error", log: true, text: (value) => value.toExponential(1) },
  registers: { name: "registers a thread", text: String },
  occupancy: { name: "occupancy", text: (value) => percent(value) },
  shared: { name: "shared memory a block", text: (value) => `${significant(value / 1024, 3)} KiB` },
  spills: { name: "spilled bytes a thread", text: String },
};

/** Rows that no other beats in both: the fastest of each smaller error. */
function paretoFront(view) {
  const front = [];
  const byTime = [...view.indices].sort((a, b) => view.rows.value[a] - view.rows.value[b]);
  let least = Infinity;
  for (const row of byTime) {
    if (view.rows.error[row] >= least) continue;
    least = view.rows.error[row];
    front.push(row);
  }
  return front;
}

addChart({
  id: "scatter",
  title: "Error and resources",
  help: "Each point is a configuration, by its time, or its value of the objective. For the error, the line joins the configurations that no other beats in both: it shows the price of a smaller error.",
  height: 380,
  draw(view, control) {
    if (view.count === 0) return { empty: "No configuration was measured." };
    const usable = Object.keys(figures).filter((figure) => view.rows[figure].some((value) => value !== null && (figure === "error" || value > 0)));
    const figure = control("figure", `${view.quantity} against`, usable.map((name) => [name, figures[name].name]), "error");
    const { name, log, text } = figures[figure];
    const column = view.rows[figure];
    const positive = column.filter((value) => value > 0);
    const logarithmic = log && positive.length > 0;
    // An error of exactly zero lies at the edge of a logarithmic axis.
    const zeros = logarithmic && positive.length < column.length;
    const edge = zeros ? extentOf(positive)[0] / 2 : 0;
    const at = (row) => (logarithmic ? Math.max(column[row], edge) : column[row]);
    const series = view.groups.map((group, i) => ({
      type: "scatter", name: group, symbol: symbolAt(i), symbolSize: view.count > 1500 ? 5 : 7, itemStyle: { color: colourAt(i), opacity: 0.6 },
      data: view.indices.filter((row) => column[row] !== null && Math.max(0, view.groupOf(row)) === i).map((row) => ({ value: [at(row), view.rows.value[row]], row })),
    })).filter((points) => points.data.length > 0);
    const front = figure === "error" ? paretoFront(view) : [];
    const colours = ink();
    if (front.length > 0)
      series.push({ type: "line", name: "not beaten in both", step: "start", data: front.map((row) => ({ value: [at(row), view.rows.value[row]], row })), symbol: "circle", symbolSize: 6,
        lineStyle: { color: colours.text, width: 1.5 }, itemStyle: { color: colours.text }, z: 4 });
    if (column[0] !== null)
      series.push({ type: "scatter", name: "winner", data: [{ value: [at(0), view.rows.value[0]], row: 0 }], symbol: "diamond", symbolSize: 16,
        itemStyle: { color: colourAt(1), borderColor: colours.surface, borderWidth: 1 }, z: 5 });
    const tooltip = { trigger: "item", formatter: ({ data }) => view.tip(data.row, `${name}: ${text(column[data.row])}`) };
    return {
      option: {
        ...chartBase({ tooltip }), series,
        xAxis: logarithmic ? logAxis("x", name, zeros ? positive.concat(edge) : positive, (value) => String(Number(value.toPrecision(2)).toExponential())) : valueAxis("x", name, text, { scale: true }),
        yAxis: view.valueAxis("y", view.quantity, view.rows.value),
      },
      spoken: counted(view.count, "configuration"),
      table: front.length > 0 ? { head: ["error", view.quantity, "configuration"], rows: front.map((row) => [view.rows.error[row].toExponential(2), view.text(view.rows.value[row]), view.describe(row).join(" ")]) } : undefined,
    };
  },
});
