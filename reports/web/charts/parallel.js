// SPDX-License-Identifier: Apache-2.0
// All parameters at once.

const mostLines = 1200;

/** The best and an even part of the rest, the slowest first: the best are drawn on top. */
function parallelRows(view) {
  if (view.count <= mostLines) return [...view.indices].reverse();
  const chosen = new Set(view.indices.slice(0, mostLines / 3));
  const rest = view.even.filter((row) => !chosen.has(row));
  const wanted = mostLines - chosen.size;
  for (let i = 0; i < wanted && rest.length > 0; i++) chosen.add(rest[Math.floor((i * rest.length) / wanted)]);
  return [...chosen].sort((a, b) => b - a);
}

/** Those that the winner has, the most important first. */
function parallelParameters(view) {
  return view.varied.filter((parameter) => view.level(parameter, 0) >= 0)
    .sort((a, b) => view.weight(view.parameters[b]) - view.weight(view.parameters[a]));
}

function parallelAxes(view, parameters, times) {
  const colours = ink();
  const look = {
    nameLocation: "end", nameGap: 14, nameRotate: 32, nameTruncate: { maxWidth: 120 }, nameTextStyle: { color: colours.text, fontFamily: font, fontSize: 12, align: "left" },
    axisLine: { lineStyle: { color: colours.line } }, axisTick: { show: false },
    axisLabel: { color: colours.text, fontFamily: font, fontSize: 11, textBorderColor: colours.surface, textBorderWidth: 3 },
    areaSelectStyle: { width: 18, borderWidth: 1, borderColor: colourAt(1), color: colourAt(1), opacity: 0.25 },
  };
  const [low, high] = extentOf(times);
  const ticks = view.ticks(low, high).map(Math.log10);
  const first = { ...look, dim: 0, name: view.quantity, type: "value", min: Math.log10(low), max: Math.max(Math.log10(high), Math.log10(low) + 1e-6),
    axisLabel: { ...look.axisLabel, customValues: ticks, formatter: (value) => view.text(10 ** value, 3) } };
  return [first, ...parameters.map((parameter, i) => ({ ...look, dim: i + 1, name: view.parameters[parameter].name, type: "category",
    data: [...view.parameters[parameter].values.map(String), ...(view.parameters[parameter].count < view.count ? ["–"] : [])] }))];
}

/** The chosen ranges as an expression of the filter. */
function chosenRanges(view, parameters, model) {
  const clauses = [];
  model.eachComponent("parallelAxis", (axis) => {
    const dim = axis.get("dim"), intervals = axis.activeIntervals;
    if (intervals.length === 0) return;
    if (dim === 0) {
      if (view.byTime) clauses.push(["time", `time >= ${(10 ** intervals[0][0]).toPrecision(4)} and time <= ${(10 ** intervals[0][1]).toPrecision(4)}`]);
      return;
    }
    const { name, values } = view.parameters[parameters[dim - 1]];
    const chosen = values.filter((_, level) => intervals.some(([from, to]) => level >= from && level <= to));
    if (chosen.length > 0) clauses.push([name, `${name} in [${chosen.map(filterValue).join(", ")}]`]);
  });
  return clauses;
}

addChart({
  id: "parallel",
  title: "All parameters at once",
  help: "Each line is a configuration, the strongest colours are the best. The axes are the winner's parameters, the most important first. Drag along an axis to choose a range: the note counts its configurations, and a button makes it the filter of all charts.",
  wide: true,
  height: 440,
  draw(view, control) {
    if (view.count < 2 || view.varied.length === 0) return { empty: "Fewer than two different configurations were measured." };
    const all = parallelParameters(view);
    const room = Math.max(3, Math.floor((byId("cards").clientWidth - 140) / 62) - 1); // as many axes as fit
    const which = all.length > room ? control("axes", "axes", [["some", `the ${room} most important`], ["all", `all ${all.length}`]], "some") : "all";
    const parameters = which === "some" ? all.slice(0, room) : all;
    const rows = parallelRows(view);
    const times = rows.map((row) => view.rows.value[row]);
    const data = rows.map((row) => [Math.log10(view.rows.value[row]),
      ...parameters.map((parameter) => (view.level(parameter, row) < 0 ? "–" : view.valueText(parameter, view.level(parameter, row)))), row]);
    const shown = rows.length < view.measured ? `${grouped(rows.length)} of ${grouped(view.measured)} configurations are drawn: the best, and a uniform part of the rest. ` : "";
    const chosen = (_, card) => {
      const model = card.instance.getModel(), series = model.getSeriesByIndex(0);
      const left = [];
      series.coordinateSystem.eachActiveState(series.getData(), (active, index) => { if (active === "active") left.push(rows[index]); });
      if (left.length === 0) { card.note.textContent = shown; return; }
      const best = Math.min(...left), ranges = chosenRanges(view, parameters, model);
      const button = make("button", { type: "button" }, "Filter all charts");
      button.addEventListener("click", () => {
        for (const [name, clause] of ranges.slice(0, -1)) state.filter = replacedClause(name, clause);
        setClause(...ranges.at(-1));
      });
      card.note.replaceChildren(`${shown}Chosen: ${counted(left.length, "configuration")}; the best has ${view.text(view.rows.value[best])}: ${view.describe(best).join(" ")} `, ...(ranges.length > 0 ? [button] : []));
    };
    return {
      option: {
        ...chartBase({ legend: { show: false } }),
        tooltip: { show: false },
        parallel: { left: 40, right: 76, top: 84, bottom: 24 },
        parallelAxis: parallelAxes(view, parameters, times),
        visualMap: { show: false, type: "continuous", min: 0, max: Math.max(1, rows[0]), dimension: parameters.length + 1, // by place: times crowd at one end
           inRange: { color: isDark() ? sequence().slice(0, 7) : sequence().slice(1) } }, // the last is hardly seen on the background
        series: [{ type: "parallel", data, lineStyle: { width: 1, opacity: rows.length > 400 ? 0.35 : 0.6 }, inactiveOpacity: 0.02, activeOpacity: 0.8, progressive: 400 }],
      },
      events: { axisareaselected: chosen },
      note: shown + (all.length < view.varied.length ? `${counted(view.varied.length - all.length, "parameter")} that the winner does not have ${view.varied.length - all.length === 1 ? "is" : "are"} left out.` : ""),
      spoken: counted(rows.length, "configuration"),
      table: { head: [view.quantity, ...parameters.map((parameter) => view.parameters[parameter].name)], rows: [...rows].reverse().slice(0, 100).map((row) =>
        [view.text(view.rows.value[row]), ...parameters.map((parameter) => (view.level(parameter, row) < 0 ? "–" : view.valueText(parameter, view.level(parameter, row))))]) },
    };
  },
});
