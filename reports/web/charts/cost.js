// SPDX-License-Identifier: Apache-2.0
// What tuning itself took.

const phaseNames = ["compile", "reference", "load", "verify", "measure"];

addChart({
  id: "cost",
  title: "Cost of tuning",
  help: "Host seconds in each phase, summed over all evaluations. Compiling runs on all cores at once, so a run is shorter than this sum.",
  draw(view) {
    const groups = [...view.cost].sort((a, b) => phaseNames.reduce((sum, phase) => sum + a[phase] - b[phase], 0));
    const total = groups.reduce((sum, group) => sum + phaseNames.reduce((part, phase) => part + group[phase], 0), 0);
    if (!(total > 0)) return { empty: "The times of the phases are unknown." };
    const tooltip = { trigger: "axis", axisPointer: { type: "shadow" }, formatter: (parts) => [`<strong>${escapeHtml(parts[0].name)}</strong>, ${counted(groups[parts[0].dataIndex].count, "evaluation")}`,
      ...parts.map((part) => `${part.marker}${part.seriesName}: ${duration(part.value)}, ${duration(part.value / groups[part.dataIndex].count)} each`)].join("<br>") };
    const base = chartBase({ tooltip });
    base.grid = { ...base.grid, top: 40, right: 28 };
    return {
      height: 120 + 32 * groups.length,
      option: {
        ...base,
        xAxis: valueAxis("x", "seconds", (value) => significant(value, 3)),
        yAxis: categoryAxis("y", "", groups.map((group) => group.name)),
        series: phaseNames.map((phase, i) => ({ type: "bar", stack: "all", name: phase, barMaxWidth: 24, itemStyle: { color: colourAt(i), decal: undefined }, data: groups.map((group) => group[phase]) })),
      },
      note: `${duration(total)} in total, ${duration(total / groups.reduce((sum, group) => sum + group.count, 0))} for each evaluation.`,
      spoken: duration(total),
      table: { head: ["", "evaluations", ...phaseNames, "sum"], rows: groups.map((group) => [group.name, group.count, ...phaseNames.map((phase) => duration(group[phase])),
        duration(phaseNames.reduce((sum, phase) => sum + group[phase], 0))]).reverse() },
    };
  },
});
