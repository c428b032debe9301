// SPDX-License-Identifier: Apache-2.0
// The times of all measured configurations, or what else they are ranked by.

function histogram(view) {
  const logs = view.even.map((row) => Math.log10(view.rows.value[row]));
  let [low, high] = extentOf(logs);
  if (high - low < 1e-3) [low, high] = [low - 0.01, high + 0.01];
  const bins = Math.max(12, Math.min(48, Math.ceil(2.5 * Math.cbrt(logs.length))));
  const width = (high - low) / bins;
  const counts = view.groups.map(() => new Array(bins).fill(0));
  view.even.forEach((row, i) => {
    counts[Math.max(0, view.groupOf(row))][Math.min(bins - 1, Math.floor((logs[i] - low) / width))]++;
  });
  return { low, high, width, counts, total: logs.length };
}

function drawHistogram(view) {
  const { low, high, width, counts, total } = histogram(view);
  const series = view.groups.map((name, i) => ({
    type: "bar", stack: "all", name, barWidth: "94%", itemStyle: { color: colourAt(i) }, color: colourAt(i),
    data: counts[i].map((count, bin) => [low + (bin + 0.5) * width, count / total]),
  })).filter((_, i) => counts[i].some(Boolean));
  const tooltip = { trigger: "axis", axisPointer: { type: "shadow" }, formatter: (parts) => {
    const centre = parts[0].value[0];
    const lines = parts.filter((part) => part.value[1] > 0).map((part) => `${part.marker}${escapeHtml(part.seriesName)}: ${percent(part.value[1])}`);
    return [`${view.text(10 ** (centre - width / 2), 3)} to ${view.text(10 ** (centre + width / 2), 3)}`, ...lines].join("<br>");
  } };
  const ticks = view.ticks(10 ** low, 10 ** high).map(Math.log10);
  return {
    series, tooltip, toAxis: Math.log10,
    xAxis: valueAxis("x", `${view.quantity} (logarithmic)`, (value) => view.text(10 ** value, 3),
      { min: low - width / 2, max: high + width / 2, axisLabel: { customValues: ticks }, axisTick: { customValues: ticks }, splitLine: { show: false } }),
    yAxis: valueAxis("y", "share of the configurations", (value) => percent(value)),
  };
}

function drawEcdf(view) {
  const series = view.groups.map((name, i) => {
    const sorted = view.even.filter((row) => Math.max(0, view.groupOf(row)) === i).map((row) => view.rows.value[row]).sort((a, b) => a - b);
    const step = Math.max(1, Math.floor(sorted.length / 500));
    const points = sorted.map((time, k) => [time, (k + 1) / sorted.length]).filter((_, k) => k % step === 0 || k === sorted.length - 1);
    return { type: "line", step: "end", name: `${name} (${sorted.length})`, data: points, showSymbol: points.length < 30, symbol: symbolAt(i),
      itemStyle: { color: colourAt(i) }, lineStyle: { color: colourAt(i), type: lineKindAt(i), width: 2 } };
  }).filter((line) => line.data.length > 0);
  const tooltip = { trigger: "item", formatter: ({ seriesName, value }) => `${escapeHtml(seriesName)}: ${percent(value[1])} ${view.byTime ? "take" : "have"} ${view.text(value[0])} or ${view.orBetter}` };
  return {
    series, tooltip, toAxis: (time) => time,
    xAxis: view.valueAxis("x", `${view.quantity} (logarithmic)`, view.even.map((row) => view.rows.value[row]).concat(view.rows.value[0])),
    yAxis: valueAxis("y", view.byTime ? "share that takes this time or less" : `share that has this or ${view.orBetter}`, (value) => percent(value), { max: 1 }),
  };
}

addChart({
  id: "distribution",
  title: "Distribution",
  help: "The share of configurations with each time or objective. A thin left end means that good configurations are rare and that a search pays.",
  draw(view, control) {
    if (view.count === 0) return { empty: "No configuration was measured." };
    const form = control("form", "as", [["histogram", "histogram"], ["ecdf", "cumulative shares"]], "histogram");
    const { series, tooltip, xAxis, yAxis, toAxis } = form === "ecdf" ? drawEcdf(view) : drawHistogram(view);
    const marks = [["winner", view.rows.value[0]], ["median", view.median], ["default", view.default]].filter(([, time]) => time);
    const times = view.even.map((row) => view.rows.value[row]).sort((a, b) => a - b);
    const at = (share) => view.text(times[Math.min(times.length - 1, Math.floor(share * times.length))]);
    series[0].markLine = marker(marks.map(([name, time]) => ({ xAxis: toAxis(time), label: { formatter: name, position: "insideEndTop", textBorderColor: ink().surface, textBorderWidth: 3 } })));
    const base = chartBase({ tooltip });
    return {
      option: { ...base, series, xAxis, yAxis },
      note: view.even.length < view.measured ? `From ${grouped(view.even.length)} of ${grouped(view.measured)}, taken at equal steps through the ranking.` : "",
      spoken: `${view.measured} configurations, winner ${view.text(view.rows.value[0])}, median ${view.text(view.median)}`,
      table: { head: ["share of the configurations", view.byTime ? "as fast as" : "as good as"], rows: [["the winner", view.text(view.rows.value[0])], ["1 %", at(0.01)], ["10 %", at(0.1)], ["25 %", at(0.25)],
        ["50 %", at(0.5)], ["75 %", at(0.75)], ["90 %", at(0.9)], ["100 %", view.text(times.at(-1))]] },
    };
  },
});
