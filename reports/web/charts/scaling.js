// SPDX-License-Identifier: Apache-2.0
// Time against size, radius, steps and what else is a number, where there are results of several.

/** By what the sections that differ from this one in a single number, and in the setting `beside`, differ: {name, sections, x}. */
function scalings(view, beside) {
  const alike = state.data.sections.filter((other) => other.problem === view.problem && sameDevice(other, view) && other.best && other.objective.name === view.objective.name);
  const text = (object, without) => JSON.stringify(Object.entries(object).filter(([name]) => name !== without && name !== beside));
  const found = [];
  const add = (name, sections, x) => {
    const distinct = new Map(); // the newest sources of each value come last in the file: they count
    for (const section of sections) distinct.set(`${x(section)} ${section.settings[beside]}`, section);
    const values = new Set(sections.map(x));
    if (values.size > 1) found.push({ name, sections: [...distinct.values()].sort((a, b) => x(a) - x(b)), x });
  };
  const names = new Set(alike.flatMap((other) => Object.entries(other.settings).filter(([, value]) => typeof value === "number").map(([name]) => name)));
  for (const name of names) {
    // A setting that is left out has its default, which for counts is 1.
    const x = (section) => section.settings[name] ?? 1;
    add(name, alike.filter((other) => text(other.extents) === text(view.extents) && text(other.settings, name) === text(view.settings, name)), x);
  }
  for (const name of Object.keys(view.extents))
    add(name, alike.filter((other) => text(other.settings) === text(view.settings) && text(other.extents, name) === text(view.extents, name)), (section) => section.extents[name]);
  const sizes = alike.filter((other) => text(other.settings) === text(view.settings));
  add("size", sizes, (section) => Object.values(section.extents).reduce((product, extent) => product * extent, 1));
  return found;
}

/** What lines may stand for: the grouping parameter, another one with few values, or a setting that is a word and varies. */
function lineChoices(view) {
  const most = 8;
  const choices = [["group", view.groupName ?? "all"]];
  for (const i of view.varied)
    if (view.parameters[i].name !== view.groupName && view.parameters[i].values.length <= most) choices.push([`parameter ${view.parameters[i].name}`, view.parameters[i].name]);
  const alike = state.data.sections.filter((other) => other.problem === view.problem);
  for (const name of new Set(alike.flatMap((other) => Object.keys(other.settings)))) {
    const values = new Set(alike.map((other) => other.settings[name]));
    if (values.size > 1 && [...values].every((value) => typeof value !== "number")) choices.push([`setting ${name}`, name]);
  }
  return choices;
}

/** Which line a row of a section belongs to; null: none. */
function lineNamer(view, choice) {
  const [kind, name] = choice.split(/ (.*)/);
  if (kind === "setting") return () => String(view.settings[name] ?? "default");
  if (kind === "group") return (row) => view.groups[Math.max(0, view.groupOf(row))];
  const parameter = view.parameters.findIndex((each) => each.name === name);
  return (row) => (parameter < 0 || view.level(parameter, row) < 0 ? null : view.valueText(parameter, view.level(parameter, row)));
}

/** The best of each line at each x: name -> [{value, seconds, error, items} or null]. */
function bestOfLines(sections, x, xs, choice) {
  const lines = new Map();
  for (const section of sections) {
    const view = sectionView(section), at = xs.indexOf(x(section)), nameOf = lineNamer(view, choice);
    for (const row of view.indices) {
      const name = nameOf(row);
      if (name === null) continue;
      if (!lines.has(name)) lines.set(name, new Array(xs.length).fill(null));
      lines.get(name)[at] ??= { value: view.rows.value[row], seconds: secondsOf(section, row), error: view.rows.error[row], items: section.work.items }; // rows come the best first
    }
  }
  return lines;
}

addChart({
  id: "scaling",
  title: "Time and error against size and settings",
  help: "The best result of each line in the sections that differ from this one in one number only, and in the setting that the lines stand for. Errors are those of the fastest configuration.",
  draw(view, control) {
    const choices = lineChoices(view);
    const choice = control("lines", "lines", choices, "group");
    const found = scalings(view, choice.startsWith("setting ") ? choice.slice("setting ".length) : undefined);
    if (found.length === 0) return { empty: "The report has no workload of this problem and device that differs in one size or numeric setting only." };
    const name = control("along", "along", found.map((each) => [each.name, each.name]), found[0].name);
    const { sections, x } = found.find((each) => each.name === name);
    const xs = [...new Set(sections.map(x))];
    const form = control("form", "as", [["value", view.quantity], ["rate", "work per second"], ["error", "largest error"]], "value");
    const lines = bestOfLines(sections, x, xs, choice);
    const shown = { value: ({ value }) => value, rate: (best) => best.items / best.seconds, error: ({ error }) => (error > 0 ? error : null) }[form];
    const shownAs = (best) => (best === null ? null : shown(best));
    const items = plural(sections[0].work.item);
    const label = { value: (value) => view.text(value, 3), rate: (value) => si(value, "", 3), error: (value) => value.toExponential(2) }[form];
    const series = [...lines].map(([line, bests], i) => ({
      type: "line", name: line, symbol: symbolAt(i), symbolSize: 9, connectNulls: true,
      itemStyle: { color: colourAt(i) }, lineStyle: { color: colourAt(i), type: lineKindAt(i), width: 2 },
      data: bests.map((best, at) => (shownAs(best) === null ? null : [xs[at], shownAs(best)])).filter(Boolean),
    })).filter(({ data }) => data.length > 0);
    if (series.length === 0) return { empty: "No error was measured here: results are whole numbers, or exact." };
    const values = series.flatMap((line) => line.data.map((point) => point[1]));
    const tooltip = { trigger: "item", formatter: ({ seriesName, data }) =>
      `${escapeHtml(seriesName)}, ${escapeHtml(name)} = ${si(data[0], "", 4)}<br><strong>${label(data[1])}${form === "rate" ? `${escapeHtml(items)}/s` : ""}</strong>` };
    const xAxis = settingAxis("x", name === "size" ? `${items} (product of the extents)` : name, xs, (value) => si(value, "", 4).trim());
    const axis = { value: `best ${view.quantity}`, rate: `${items} per second`, error: "largest |out - reference|" }[form];
    return {
      option: { ...chartBase({ tooltip }), series, xAxis, yAxis: form === "value" ? view.valueAxis("y", axis, values) : logAxis("y", axis, values, label) },
      note: new Set(sections.map((section) => section.sources)).size > 1 ? "The workloads were tuned with different kernel sources." : "",
      spoken: `by ${name}: ${xs.join(", ")}`,
      table: { head: [name, ...lines.keys()], rows: xs.map((value, at) => [value, ...[...lines.values()].map((bests) => (shownAs(bests[at]) === null ? "–" : label(shownAs(bests[at]))))]) },
    };
  },
});
