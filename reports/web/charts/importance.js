// SPDX-License-Identifier: Apache-2.0
// Which parameters matter.

addChart({
  id: "importance",
  title: "Importance of the parameters",
  help: "Main effects: the share of the variance of log(time), or of the objective, that one parameter explains alone, over all measured configurations that have it " +
    "(one-way analysis of variance, corrected for chance). The heat map shows effects of two parameters together. " +
    "Searches do not choose configurations evenly, so shares may add up to more than 100 %.",
  draw(view) {
    const known = view.parameters.filter((parameter) => parameter.importance !== null && parameter.values.length > 1)
      .sort((a, b) => view.weight(a) - view.weight(b));
    if (known.length === 0) return { empty: "No parameter has enough measured values." };
    const colours = ink();
    const some = (parameter) => parameter.count < view.measured;
    const label = (parameter) => percent(parameter.importance, 2) + (some(parameter) ? ` in ${grouped(parameter.count)}` : "");
    const tooltip = { trigger: "item", formatter: ({ dataIndex }) => {
      const parameter = known[dataIndex];
      return `<strong>${escapeHtml(parameter.name)}</strong>: ${percent(parameter.importance)} of the variance of log ${escapeHtml(view.quantity)}` +
        `<br>${parameter.values.length} values in ${counted(parameter.count, "configuration")}`;
    } };
    const base = chartBase({ tooltip, legend: { show: false } });
    base.grid = { ...base.grid, top: 8, right: 24 };
    return {
      height: 90 + 26 * known.length,
      option: {
        ...base,
        xAxis: valueAxis("x", `share of the variance of log ${view.quantity}`, (value) => percent(value), { max: Math.min(1, Math.ceil(13 * Math.max(0.1, ...known.map((parameter) => parameter.importance))) / 10) }),
        yAxis: categoryAxis("y", "", known.map((parameter) => parameter.name)),
        series: [{
          type: "bar", barWidth: "62%", data: known.map((parameter) => ({ value: parameter.importance,
            itemStyle: some(parameter) ? { color: colourAt(0), opacity: 0.65 } : { color: colourAt(0) } })),
          label: { show: true, position: "right", color: colours.text, fontFamily: font, formatter: ({ dataIndex }) => label(known[dataIndex]) },
        }],
      },
      note: known.some(some) ? "Pale bars: only some configurations have the parameter (the label has their number). The fewer have it, the lower it ranks." : "",
      spoken: [...known].reverse().slice(0, 3).map((parameter) => `${parameter.name} ${percent(parameter.importance)}`).join(", "),
      table: { head: ["parameter", "share", "configurations that have it", "values"], rows: [...known].reverse().map((parameter) =>
        [parameter.name, percent(parameter.importance), parameter.count, parameter.values.join(", ")]) },
    };
  },
});
