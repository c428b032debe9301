// SPDX-License-Identifier: Apache-2.0
// How near to what the device can do.

const sameDevice = (a, b) => a.device.key === b.device.key && a.origin === b.origin && a.cache === b.cache;

function rooflinePoints(view) {
  const intensity = view.work.flops / view.work.bytes;
  const step = Math.max(1, Math.floor(view.even.length / 300));
  return view.even.filter((_, i) => i % step === 0).map((row) => ({ value: [intensity, view.work.flops / secondsOf(view, row)], row }));
}

/** Winners of the other problems and sizes on this device. */
function otherWinners(view) {
  return state.data.sections
    .filter((other) => sectionKey(other) !== sectionKey(view) && other.ceilings.units === view.ceilings.units && sameDevice(other, view) && other.best && other.work.flops > 0 && other.work.bytes > 0)
    .map((other) => ({ value: [other.work.flops / other.work.bytes, other.work.flops / other.best.seconds], other }));
}

function roof(bandwidth, flops, low, high) {
  const ridge = flops / bandwidth;
  const points = [low, ...(ridge > low && ridge < high ? [ridge] : []), high];
  return points.map((x) => [x, Math.min(flops, bandwidth * x)]);
}

addChart({
  id: "roofline",
  title: "Roofline",
  help: "Horizontal: flops per byte that the problem must move. Vertical: flop/s. The roof is the memory bandwidth of a measured copy and the peak of the units that the problem may use. A kernel that mostly reads can pass a copy, but not the bandwidth of the datasheet (dashed). Left of the edge memory is the limit, right of it arithmetic.",
  height: 380,
  draw(view) {
    const { bandwidth, flops, measured, datasheet } = view.ceilings;
    if (view.count === 0) return { empty: "No configuration was measured." };
    if (!(view.work.flops > 0 && view.work.bytes > 0)) return { empty: "The problem counts no flops or no bytes." };
    if (!bandwidth || !flops) return { empty: "The peaks of this device are unknown." };
    const own = rooflinePoints(view);
    const winner = { value: [view.work.flops / view.work.bytes, view.work.flops / secondsOf(view, 0)], row: 0 };
    const others = otherWinners(view);
    const ridge = flops / bandwidth;
    const xs = [winner, ...others].map((point) => point.value[0]).concat([ridge / 8, ridge * 3]);
    const [low, high] = [extentOf(xs)[0] / 1.5, extentOf(xs)[1] * 1.5];
    const line = roof(bandwidth, flops, low, high), above = measured && datasheet > bandwidth ? roof(datasheet, flops, low, high) : [];
    const ys = [...own, winner, ...others].map((point) => point.value[1]).concat([...line, ...above].map((point) => point[1] * 1.3));
    const colours = ink();
    const rate = (value) => si(value, "FLOP/s", 3);
    const tooltip = { trigger: "item", formatter: ({ data }) => data.row !== undefined ? view.tip(data.row, rate(data.value[1]))
      : data.other ? `<strong>${escapeHtml(data.other.title)}</strong><br>winner: ${seconds(data.other.best.seconds)}, ${rate(data.value[1])}` : "" };
    const elsewhere = state.data.sections.filter((other) => sameDevice(other, view) && other.ceilings.units !== view.ceilings.units).length;
    return {
      option: {
        ...chartBase({ tooltip }),
        xAxis: logAxis("x", "FLOP/byte", [low, high], (value) => significant(value, 3)),
        yAxis: logAxis("y", "FLOP/s", ys, rate),
        series: [
          ...(above.length > 0 ? [{ type: "line", name: "bandwidth of the datasheet", data: above, symbol: "none", lineStyle: { color: colours.mark, width: 1, type: "dashed" }, itemStyle: { color: colours.mark }, silent: true }] : []),
          { type: "line", name: `roof (${view.ceilings.units})`, data: line, symbol: "none", lineStyle: { color: colours.text, width: 2 }, itemStyle: { color: colours.text }, silent: true,
            markPoint: { symbol: "circle", symbolSize: 1, data: [{ coord: [Math.sqrt(low * Math.min(ridge, high)), Math.min(flops, bandwidth * Math.sqrt(low * Math.min(ridge, high)))],
              label: { show: true, formatter: `${si(bandwidth, "B/s", 3)}`, position: "top", offset: [-34, -4], color: colours.text } },
              ...(ridge < high ? [{ coord: [Math.sqrt(ridge * high), flops], label: { show: true, formatter: rate(flops), position: "top", offset: [0, -2], color: colours.text } }] : [])] } },
          { type: "scatter", name: "configurations", data: own, symbol: "circle", symbolSize: 5, itemStyle: { color: colourAt(0), opacity: 0.45 } },
          { type: "scatter", name: "other winners", data: others, symbol: "triangle", symbolSize: 10, itemStyle: pointStyle(2) },
          { type: "scatter", name: "winner", data: [winner], symbol: "diamond", symbolSize: 16, itemStyle: { color: colourAt(1), borderColor: colours.surface, borderWidth: 1 } },
        ],
      },
      note: `Bandwidth: ${measured ? "of a measured copy" : "the datasheet's"}. Arithmetic: the peak of the ${view.ceilings.units}.${elsewhere > 0 ? ` ${counted(elsewhere, "work")} with other units ${elsewhere === 1 ? "has another roof and is" : "have other roofs and are"} not drawn.` : ""}`,
      spoken: `the winner reaches ${rate(winner.value[1])} at ${significant(winner.value[0], 3)} FLOP per byte`,
      table: { head: ["winner of", "FLOP/byte", "FLOP/s", "of the roof"], rows: [{ ...winner, other: view }, ...others].map((point) =>
        [point.other.title, significant(point.value[0], 3), rate(point.value[1]),
          point.other.limit ? percent(point.other.limit / point.other.best.seconds) : "–"]) },
    };
  },
});
