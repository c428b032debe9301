// SPDX-License-Identifier: Apache-2.0
// How each search came to its best.

addChart({
  id: "progress",
  title: "Progress of the searches",
  help: "The best so far. If a line is flat early, a small budget is enough; if it still changes at its end, the search needs a larger one.",
  draw(view, control) {
    const runs = view.runs.filter((run) => run.progress.best.length > 0).reverse();
    if (runs.length === 0) return { empty: "No run has measured anything." };
    const against = control("against", "against", [["evaluation", "evaluations"], ["seconds", "elapsed time"]], "evaluation");
    const scale = control("scale", "axis", [["log", "logarithmic"], ["value", "linear"]], "log");
    const least = against === "evaluation" ? 1 : 0.1; // seconds: what was reused took none
    const series = runs.map((run, i) => {
      const points = run.progress.best.map((best, k) => [Math.max(least, run.progress[against][k]), best]);
      points.push([Math.max(least, against === "evaluation" ? run.evaluations : run.seconds), points.at(-1)[1]]);
      return {
        type: "line", step: "end", name: `${run.strategy}, run ${run.run}`, data: points, symbol: symbolAt(i), symbolSize: 7,
        itemStyle: { color: colourAt(i) }, lineStyle: { color: colourAt(i), type: lineKindAt(i), width: 2 }, showAllSymbol: true,
      };
    });
    const all = series.flatMap((line) => line.data);
    const ys = all.map((point) => point[1]);
    const xs = all.map((point) => point[0]);
    // Far below, it would only press the lines together.
    if (view.byTime && view.limit && view.limit > extentOf(ys)[0] / 2) {
      ys.push(view.limit);
      series.push({ type: "line", name: "limit", symbol: "none", silent: true, data: extentOf(xs).map((x) => [x, view.limit]),
        itemStyle: { color: ink().mark }, lineStyle: { color: ink().mark, type: "dashed", width: 1.5 } });
    }
    const name = against === "evaluation" ? "evaluations" : "seconds since the run began";
    const label = (value) => significant(value, 3);
    const tooltip = { trigger: "item", formatter: ({ seriesName, value }) =>
      `${escapeHtml(seriesName)}<br><strong>${view.text(value[1])}</strong> after ${against === "evaluation" ? counted(value[0], "evaluation") : duration(value[0])}` };
    return {
      option: {
        ...chartBase({ tooltip }), series,
        xAxis: scale === "log" ? logAxis("x", name, xs, label) : valueAxis("x", name, label),
        yAxis: view.valueAxis("y", `best ${view.quantity} so far`, ys),
      },
      note: runs.filter((run) => run.progress.all).map((run) =>
        `Of ${grouped(run.progress.all)} improvements of run ${run.run}, ${grouped(run.progress.best.length)} are drawn.`).join(" "),
      spoken: runs.map((run) => `${run.strategy}: ${view.text(run.progress.best.at(-1))} after ${run.evaluations} evaluations`).join("; "),
      table: {
        head: ["run", "strategy", "seed", "evaluations", "reused", "time", "best", "found at"],
        rows: runs.map((run) => [run.run, run.strategy, run.seed, run.evaluations, run.reused, duration(run.seconds),
          view.text(run.progress.best.at(-1)), run.progress.evaluation.at(-1)]),
      },
    };
  },
});
