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

function parallelAxes(view, times) {
  const colours = ink();
  const look = {
    nameLocation: "end", nameGap: 14, nameRotate: 32, nameTruncate: { maxWidth: 120 }, nameTextStyle: { color: colours.text, fontFamily: font, fontSize: 12, align: "left" },
    axisLine: { lineStyle: { color: colours.line } }, axisTick: { show: false },
    axisLabel: { color: colours.text, fontFamily: font, fontSize: 11, textBorderColor: colours.surface, textBorderWidth: 3 },
    areaSelectStyle: { width: 18, borderWidth: 1, borderColor: colourAt(1), color: colourAt(1), opacity: 0.25 },
  };
  const axes = view.varied.map((parameter, dim) => ({ ...look, dim, name: view.parameters[parameter].name, type: "category",
    data: [...view.parameters[parameter].values.map(String), ...(view.parameters[parameter].count < view.measured ? ["–"] : [])] }));
  const [low, high] = extentOf(times);
  const ticks = view.ticks(low, high).map(Math.log10);
  axes.push({ ...look, dim: axes.length, name: view.quantity, nameLocation: "start", type: "value", min: Math.log10(low), max: Math.max(Math.log10(high), Math.log10(low) + 1e-6), inverse: true,
    axisLabel: { ...look.axisLabel, customValues: ticks, formatter: (value) => view.text(10 ** value, 3) } });
  return axes;
}

addChart({
  id: "parallel",
  title: "All parameters at once",
  help: "Each line is a configuration; the strongest colours are the best. Drag along an axis to choose a range: lines outside of it fade, and the others " +
    "are counted below. Click the axis to undo the choice.",
  wide: true,
  height: 440,
  draw(view) {
    if (view.count === 0 || view.varied.length === 0) return { empty: "Fewer than two different configurations were measured." };
    const rows = parallelRows(view);
    const times = rows.map((row) => view.rows.value[row]);
    const data = rows.map((row) => {
      const cells = view.varied.map((parameter) => (view.level(parameter, row) < 0 ? "–" : view.valueText(parameter, view.level(parameter, row))));
      return [...cells, Math.log10(view.rows.value[row]), row];
    });
    const shown = rows.length < view.measured ? `${rows.length.toLocaleString("en")} of ${view.measured.toLocaleString("en")} configurations are drawn: the best, and an even part of the rest. ` : "";
    const chosen = (_, card) => {
      const model = card.instance.getModel().getSeriesByIndex(0);
      const left = [];
      model.coordinateSystem.eachActiveState(model.getData(), (active, index) => { if (active === "active") left.push(rows[index]); });
      const best = left.length > 0 ? Math.min(...left) : null;
      card.note.textContent = shown + (left.length === 0 ? "" : `Chosen: ${counted(left.length, "configuration")}; the best has ${view.text(view.rows.value[best])}: ${view.describe(best).join(" ")}`);
    };
    const colours = sequence().slice(0, 7); // the last is hardly seen on the background
    return {
      minWidth: 56 * (view.varied.length + 1) + 60,
      option: {
        ...chartBase({ legend: { show: false } }),
        tooltip: { show: false },
        parallel: { left: 40, right: 76, top: 84, bottom: 24 },
        parallelAxis: parallelAxes(view, times),
        visualMap: { show: false, type: "continuous", min: 0, max: Math.max(1, rows[0]), dimension: view.varied.length + 1, // by place: times crowd at one end
           inRange: { color: colours } },
        series: [{ type: "parallel", data, lineStyle: { width: 1, opacity: rows.length > 400 ? 0.35 : 0.6 }, inactiveOpacity: 0.02, activeOpacity: 0.8, progressive: 400 }],
      },
      events: { axisareaselected: chosen },
      note: shown,
      spoken: counted(rows.length, "configuration"),
    };
  },
});
