// SPDX-License-Identifier: Apache-2.0
// The best time by the value of one parameter.

/** Best time of each value, in the order of values, null where there is none; one list a group. */
function bestByValue(view, parameter) {
  const best = view.groups.map(() => new Array(view.parameters[parameter].values.length).fill(null));
  for (const row of view.indices) {
    const level = view.level(parameter, row);
    const group = Math.max(0, view.groupOf(row));
    if (level >= 0 && best[group][level] === null) best[group][level] = row; // rows come the best first
  }
  return best;
}

addChart({
  id: "values",
  title: "Best by the value of a parameter",
  help: "The best configuration with each value of the parameter; one line for each variant. For the number of fused steps, " +
    "for example, it shows the gain of fusing.",
  draw(view, control) {
    const usable = view.varied.filter((i) => String(i) !== String(view.group));
    if (usable.length === 0) return { empty: "No parameter has several measured values." };
    const byImportance = [...usable].filter((i) => view.parameters[i].numeric).sort((a, b) => view.weight(view.parameters[b]) - view.weight(view.parameters[a]));
    const favourite = usable.find((i) => view.parameters[i].name === "fused") ?? byImportance[0] ?? usable[0];
    const name = control("parameter", "parameter", usable.map((i) => [view.parameters[i].name, view.parameters[i].name]), view.parameters[favourite].name);
    const form = control("form", "as", [["value", view.quantity], ["gain", view.byTime ? "speed-up over the first value" : "gain over the first value"]], "value");
    const index = view.parameters.findIndex((parameter) => parameter.name === name);
    const parameter = view.parameters[index];
    const best = bestByValue(view, index);
    const series = best.map((rows, i) => {
      const first = rows.find((row) => row !== null);
      return {
        type: "line", name: view.groups[i], symbol: symbolAt(i), symbolSize: 10, connectNulls: parameter.numeric,
        itemStyle: { color: colourAt(i) }, lineStyle: { color: colourAt(i), type: lineKindAt(i), width: parameter.numeric ? 2 : 0 },
        data: rows.map((row) => row === null ? { value: null }
          : { value: form === "value" ? view.rows.value[row] : view.rows.value[first] / view.rows.value[row], row }),
      };
    }).filter((line) => line.data.some((point) => point.row !== undefined));
    const ys = series.flatMap((line) => line.data.map((point) => point.value)).filter((value) => value !== null);
    const tooltip = { trigger: "item", formatter: ({ seriesName, data }) => view.tip(data.row, escapeHtml(seriesName) + (form === "gain" ? `: ${times(data.value)}` : "")) };
    const total = (row) => (row === null ? "–" : view.text(view.rows.value[row]));
    return {
      option: {
        ...chartBase({ tooltip }), series,
        xAxis: categoryAxis("x", parameter.name, parameter.values.map(String), { boundaryGap: true }),
        yAxis: form === "value" ? view.valueAxis("y", `best ${view.quantity}`, ys) : valueAxis("y", view.byTime ? "speed-up" : "gain", (value) => `${significant(value, 3)}×`, { scale: true }),
      },
      note: `${parameter.name} explains ${parameter.importance === null ? "an unknown share" : percent(parameter.importance, 2)} of the variance of log ${view.quantity} alone.`,
      spoken: `by ${parameter.name}`,
      table: { head: [parameter.name, "configurations", "median", ...series.map((line) => line.name)], rows: parameter.values.slice(0, 60).map((value, level) =>
        [value, parameter.counts[level], view.text(parameter.medians[level]), ...best.filter((rows) => rows.some((row) => row !== null)).map((rows) => total(rows[level]))]) },
    };
  },
});

addChart({
  id: "values-table",
  title: "All parameters, value by value",
  help: "Loss of the best configuration with each value against the winner, over all measured configurations.",
  wide: true,
  height: 1,
  draw(view) {
    const rows = view.parameters.flatMap((parameter) => parameter.values.slice(0, 24).map((value, i) => [parameter.name, value, parameter.counts[i], view.text(parameter.best[i]),
      signedPercent(view.change(parameter.best[i])), view.text(parameter.medians[i])]));
    if (rows.length === 0) return { empty: "No configuration was measured." };
    return { plain: true, table: { head: ["parameter", "value", "configurations", "best", "against the winner", "median"], rows } };
  },
});
