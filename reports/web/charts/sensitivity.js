// SPDX-License-Identifier: Apache-2.0
// The cost of one step away from the winner.

addChart({
  id: "sensitivity",
  title: "One step from the winner",
  help: "Measured configurations that differ from the winner in one parameter only. A point far to the right is a costly change; a point near zero costs little.",
  draw(view) {
    if (view.count === 0) return { empty: "No configuration was measured." };
    const steps = winnerNeighbours(view);
    if (steps.length === 0) return { empty: "No configuration that differs from the winner in one parameter only was measured." };
    const change = ({ row }) => view.rows.value[row] / view.rows.value[0] - 1; // the more, the worse
    const worst = new Map();
    for (const step of steps) worst.set(step.parameter, Math.max(worst.get(step.parameter) ?? -1, change(step)));
    const order = [...worst.keys()].sort((a, b) => worst.get(a) - worst.get(b));
    const colours = ink();
    const own = (parameter) => view.valueText(parameter, view.level(parameter, 0));
    const names = order.map((parameter) => `${view.parameters[parameter].name} = ${own(parameter)}`);
    // Labels above and below in turns: neighbours rarely meet.
    const points = [...steps].sort((a, b) => change(a) - change(b))
      .map((step, i) => ({ value: [change(step), order.indexOf(step.parameter)], step, label: { position: i % 2 ? "bottom" : "top" } }));
    const tooltip = { trigger: "item", formatter: ({ data }) => data.step ? view.tip(data.step.row,
      `${escapeHtml(view.parameters[data.step.parameter].name)}: ${escapeHtml(view.valueText(data.step.parameter, view.level(data.step.parameter, data.step.row)))} instead of ${escapeHtml(own(data.step.parameter))}`) : "" };
    const base = chartBase({ tooltip, legend: { show: false } });
    base.grid = { ...base.grid, top: 8, right: 40 };
    return {
      height: 90 + 34 * order.length,
      option: {
        ...base,
        xAxis: valueAxis("x", view.byTime ? "time against the winner" : "loss against the winner", signedPercent, { axisLabel: { showMaxLabel: true } }),
        yAxis: categoryAxis("y", "", names, { splitLine: { show: true, lineStyle: { color: colours.grid } } }),
        series: [{
          type: "scatter", data: points, symbolSize: 10, itemStyle: pointStyle(1),
          label: { show: true, distance: 2, color: colours.text, fontFamily: font, fontSize: 11,
            formatter: ({ data }) => view.valueText(data.step.parameter, view.level(data.step.parameter, data.step.row)) },
          labelLayout: { hideOverlap: true },
          markLine: marker([{ xAxis: 0, label: { show: false } }]),
        }],
      },
      note: "The left side shows the winner's values; each point is labelled with its own value.",
      spoken: counted(steps.length, "configuration"),
      table: { head: ["parameter", "winner", "instead", view.quantity, "against the winner"], rows: steps.sort((a, b) => change(a) - change(b)).map((step) =>
        [view.parameters[step.parameter].name, own(step.parameter), view.valueText(step.parameter, view.level(step.parameter, step.row)),
          view.text(view.rows.value[step.row]), signedPercent(view.change(view.rows.value[step.row]))]) },
    };
  },
});
