// SPDX-License-Identifier: Apache-2.0
// The failures by phase and reason.

addChart({
  id: "failures",
  title: "Failures",
  help: "Failed evaluations by phase and reason. The tables above have an example of each.",
  draw(view) {
    if (view.failures.length === 0) return { empty: "No configuration failed." };
    const failures = [...view.failures].sort((a, b) => b.count - a.count).slice(0, 20).reverse();
    const phases = [...new Set(view.failures.map((failure) => failure.phase))];
    const colours = ink();
    const tooltip = { trigger: "item", formatter: ({ data }) => `<strong>${escapeHtml(data.failure.phase)}</strong>: ${escapeHtml(data.failure.reason)}<br>${counted(data.failure.count, "evaluation")}` };
    const base = chartBase({ tooltip });
    base.grid = { ...base.grid, top: 40, right: 48 };
    return {
      height: 110 + 28 * failures.length,
      option: {
        ...base,
        xAxis: valueAxis("x", "evaluations", (value) => grouped(value), { minInterval: 1 }),
        yAxis: categoryAxis("y", "", failures.map((failure) => failure.reason), { axisLabel: { width: 150, overflow: "truncate" } }),
        series: phases.map((phase, i) => ({
          type: "bar", stack: "all", name: phase, barMaxWidth: 20, itemStyle: { color: colourAt(i) },
          data: failures.map((failure) => (failure.phase === phase ? { value: failure.count, failure } : null)),
          label: { show: true, position: "right", color: colours.text, fontFamily: font, formatter: ({ value }) => (value ? grouped(value) : "") },
        })),
      },
      note: view.failures.length > 20 ? `The 20 most frequent of ${view.failures.length} reasons.` : "",
      spoken: counted(view.failures.reduce((sum, failure) => sum + failure.count, 0), "failure"),
      table: { head: ["phase", "reason", "evaluations"], rows: [...view.failures].sort((a, b) => b.count - a.count).map((failure) => [failure.phase, failure.reason, failure.count]) },
    };
  },
});
