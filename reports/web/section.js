// SPDX-License-Identifier: Apache-2.0
// One section of the data with the questions that charts ask of it.

function sectionView(section) {
  const { parameters, rows, group } = section;
  const count = rows.value.length;
  const indices = Array.from({ length: count }, (_, row) => row);
  const valueText = (parameter, level) => (level < 0 ? "–" : String(parameters[parameter].values[level]));
  const groups = group === null ? ["all"] : parameters[group].values.map(String);
  const groupOf = (row) => (group === null ? 0 : rows.levels[group][row]);
  const { name, unit, maximised } = section.objective;
  const byTime = name === "time";
  const shown = (value) => (maximised ? 1 / value : value); // values are minimised
  const view = {
    ...section,
    byTime,
    quantity: name,
    orBetter: maximised ? "more" : "less",
    /** A value as people read it: "284 µs", "812.5". */
    text: (value, digits = 4) => (value === null || value === undefined ? "–" : unit ? si(value, unit, digits) : significantly(shown(value), digits)),
    /** How much longer, or worse, than the winner. */
    change: (value) => (maximised ? shown(value) / shown(rows.value[0]) : value / rows.value[0]) - 1,
    ticks: (low, high) => (maximised ? logTicks(1 / high, 1 / low).map((tick) => 1 / tick).reverse() : logTicks(low, high)),
    /** A logarithmic axis of values; of a maximised quantity, up is more. */
    valueAxis: (way, label, values, digits = 3) => ({
      ...logAxis(way, label, values, (value) => view.text(value, digits), view.ticks), ...(way === "y" && maximised ? { inverse: true, nameLocation: "start" } : {}) }),

    count,
    indices,
    even: rows.even ? indices.filter((row) => rows.even[row]) : indices, // what speaks for all
    groups,
    groupOf,
    groupName: group === null ? null : parameters[group].name,
    level: (parameter, row) => rows.levels[parameter][row],
    valueText,
    varied: parameters.map((_, i) => i).filter((i) => parameters[i].values.length > 1),
    /** Every parameter of a configuration, for tooltips. */
    describe: (row) => parameters
      .map((parameter, i) => [parameter.name, rows.levels[i][row], i])
      .filter(([, level]) => level >= 0)
      .map(([name, level, i]) => `${name}=${valueText(i, level)}`),
    /** Importance, less for parameters that few configurations have. */
    weight: (parameter) => ((parameter.importance ?? 0) * parameter.count) / section.measured,
  };
  view.tip = (row, more = "") =>
    `<strong>${byTime ? "" : escapeHtml(name) + " "}${view.text(rows.value[row])}</strong>${row === 0 ? ` (${section.filtered ? "the best that passes the filter" : "winner"})` : ` ${signedPercent(view.change(rows.value[row]))}`}<br>` +
    (byTime ? "" : seconds(secondsOf(section, row)) + "<br>") +
    (more ? more + "<br>" : "") +
    `<span class="tip">${view.describe(row).map(escapeHtml).join(" ")}</span>`;
  return view;
}

/** Rows that differ from the winner in one parameter: {row, parameter}. */
function winnerNeighbours(view) {
  const found = [];
  for (let row = 1; row < view.count; row++) {
    let different = -1;
    for (let i = 0; i < view.parameters.length; i++) {
      const [own, other] = [view.level(i, 0), view.level(i, row)];
      if (own === other) continue;
      different = different >= 0 || own < 0 || other < 0 ? -2 : i;
      if (different === -2) break;
    }
    if (different >= 0) found.push({ row, parameter: different });
  }
  return found;
}

/** Seconds of a row, which are the values where a section ranks by time. */
const secondsOf = (section, row) => (section.rows.seconds ?? section.rows.value)[row];

/** Identifies a section over updates of the data. */
const sectionKey = (section) =>
  JSON.stringify([section.problem, section.size, section.settings, section.device.key, section.origin, section.cache, section.sources]);
