// SPDX-License-Identifier: Apache-2.0
// Of all works: how near the best and the default are to the limit, and how results compare.

addChart({
  id: "overview",
  title: "Best, default and limit",
  help: "Each bar is a workload: the share of the device's limit (100 %) that its best configuration reaches. The mark is the share of the default configuration, if it was measured. Click a bar to show its workload.",
  wide: true,
  page: true,
  height: 270,
  draw(_, control) {
    const works = state.data.sections.map((section, index) => ({ section, index })).filter(({ section, index }) => section.limit && section.best && (!state.found || state.found[index]));
    if (works.length === 0) return { empty: "No workload has a known limit." };
    const order = control("order", "order", [["problem", "by problem"], ["share", "by share"]], "problem");
    const share = ({ section }) => section.limit / section.best.seconds;
    if (order === "share") works.sort((a, b) => share(b) - share(a));
    const standard = ({ section }) => (section.default && section.objective.name === "time" ? section.limit / section.default : null);
    const problems = [...new Set(works.map(({ section }) => section.problem))];
    const tooltip = { trigger: "axis", axisPointer: { type: "shadow" }, formatter: (parts) => {
      const { section } = works[parts[0].dataIndex], other = standard(works[parts[0].dataIndex]);
      return `<strong>${escapeHtml(section.title)}</strong><br>best ${seconds(section.best.seconds)}, ${percent(share({ section }))} of the limit ${seconds(section.limit)}` +
        (other === null ? "" : `<br>default ${seconds(section.default)}, ${percent(other)}; the best is ${times(section.default / section.best.seconds)} as fast`);
    } };
    const base = chartBase({ tooltip });
    base.grid = { ...base.grid, top: 52, bottom: 12 };
    return {
      option: {
        ...base,
        xAxis: categoryAxis("x", "", works.map(({ section }) => section.id), { axisLabel: { show: false }, axisTick: { show: false } }),
        yAxis: valueAxis("y", "share of the limit", (value) => percent(value), { min: 0, max: Math.max(1, ...works.map(share)) }),
        series: [
          ...problems.map((problem, i) => ({ type: "bar", name: problem, stack: "best", barCategoryGap: "15%", barMaxWidth: 120, itemStyle: { color: colourAt(i) }, cursor: "pointer",
            data: works.map((work) => (work.section.problem === problem ? share(work) : null)) })),
          { type: "scatter", name: "default", data: works.map(standard), symbol: "rect", symbolSize: [Math.max(5, Math.min(14, 500 / works.length)), 3], itemStyle: { color: ink().text, borderColor: ink().surface, borderWidth: 0.5 }, z: 5 },
          { type: "line", name: "limit", data: works.map(() => 1), symbol: "none", silent: true, lineStyle: { color: ink().mark, type: "dashed", width: 1.5 }, itemStyle: { color: ink().mark } },
        ],
      },
      events: { click: ({ dataIndex }) => { location.hash = `#${works[dataIndex].section.id}`; } },
      spoken: `${counted(works.length, "workload")}; median ${percent(mid(works.map(share)))} of the limit`,
      table: { head: ["workload", "best", "default", "limit", "share of the limit", "share of the default"], rows: works.map((work) => [work.section.title, seconds(work.section.best.seconds),
        standard(work) === null ? "–" : seconds(work.section.default), seconds(work.section.limit), percent(share(work)), standard(work) === null ? "–" : percent(standard(work))]) },
    };
  },
});

/** Sets of results by name, each a map from work to seconds: devices, older versions, the two newest runs. */
function resultSets() {
  const sets = new Map();
  const put = (name, work, value) => {
    if (!(value > 0)) return;
    if (!sets.has(name)) sets.set(name, new Map());
    sets.get(name).set(work, value);
  };
  for (const section of state.data.sections) {
    if (!section.best) continue;
    const work = `${section.problem} ${section.size} ${Object.entries(section.settings).map((pair) => pair.join("=")).join(",")}`;
    const name = [section.device.name, ...(section.origin === "measured" ? [] : [section.origin]), ...(section.cache === "warm" ? ["warm caches"] : [])].join(", ");
    const older = sets.get(name)?.get(work); // the newest versions come last
    if (older) put(`${name}, older versions`, work, older);
    put(name, work, section.best.seconds);
    if (section.objective.name === "time" && section.runs.length > 1)
      for (const [run, title] of ["newest run", "run before"].entries()) put(title, `${work} on ${name}`, section.runs[run].progress.best.at(-1));
  }
  return new Map([...sets].sort(([a], [b]) => / run$|^run /.test(`${a}`) - / run$|^run /.test(`${b}`)));
}

addChart({
  id: "compare",
  title: "Comparison of results",
  help: "Time of the second set of results / time of the first, for each workload that both have. Sets are devices, versions, or the two newest runs. Below 1 the second is faster. Slowdowns above 2 % are marked as regressions.",
  wide: true,
  page: true,
  below: true,
  draw(_, control) {
    const sets = resultSets();
    const names = [...sets.keys()];
    const common = (a, b) => [...sets.get(a).keys()].filter((work) => sets.get(b).has(work));
    const pair = names.flatMap((a) => names.filter((b) => a !== b && common(a, b).length > 0).map((b) => [a, b]));
    if (pair.length === 0) return { empty: "There are no two sets of results to compare." };
    const starts = pair.find(([one, two]) => two !== "run before" && !two.endsWith("older versions")) ?? pair[0];
    const a = control("first", "first", [...new Set(pair.map(([one]) => one))].map((name) => [name, name]), starts[0]);
    const others = pair.filter(([one]) => one === a).map(([, two]) => two);
    const b = control("second", "second", others.map((name) => [name, name]), others.includes(starts[1]) ? starts[1] : others[0]);
    const works = common(a, b).map((work) => ({ work, first: sets.get(a).get(work), second: sets.get(b).get(work) })).map((each) => ({ ...each, ratio: each.second / each.first })).sort((p, q) => q.ratio - p.ratio);
    const drawn = works.length > 60 ? [...works.slice(0, 30), ...works.slice(-30)] : works;
    const kinds = [["slower (regression)", (ratio) => ratio > 1.02, 1], ["equal within 2 %", (ratio) => ratio >= 1 / 1.02 && ratio <= 1.02, 5], ["faster", (ratio) => ratio < 1 / 1.02, 2]];
    const tooltip = { trigger: "item", formatter: ({ dataIndex }) => `<strong>${escapeHtml(drawn[dataIndex].work)}</strong><br>${seconds(drawn[dataIndex].first)} → ${seconds(drawn[dataIndex].second)}, ${times(drawn[dataIndex].ratio)}` };
    const base = chartBase({ tooltip });
    base.grid = { ...base.grid, top: 56, bottom: 12 };
    const regressions = works.filter(({ ratio }) => ratio > 1.02).length;
    return {
      height: 280,
      option: {
        ...base,
        xAxis: categoryAxis("x", "", drawn.map(({ work }) => work), { axisLabel: { show: false }, axisTick: { show: false } }),
        yAxis: logAxis("y", "time of the second / first", drawn.map(({ ratio }) => ratio).concat([0.95, 1.05]), (value) => `${significant(value, 3)}×`),
        series: kinds.map(([name, test, colour], i) => ({ type: "scatter", name, symbol: symbolAt(i), symbolSize: 9, itemStyle: pointStyle(colour), data: drawn.map(({ ratio }) => (test(ratio) ? ratio : null)),
          ...(i === 0 ? { markLine: marker([{ yAxis: 1, label: { show: false } }]) } : {}) })),
      },
      note: `${counted(works.length, "workload")} in both, ${counted(regressions, "regression")}; geometric mean ${times(Math.exp(works.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / works.length))}.${drawn.length < works.length ? " The 30 worst and the 30 best are drawn." : ""}`,
      spoken: counted(regressions, "regression"),
      table: { head: ["workload", a, b, "second / first", ""], rows: works.map(({ work, first, second, ratio }) => [work, seconds(first), seconds(second), times(ratio), ratio > 1.02 ? "regression" : ""]) },
    };
  },
});
