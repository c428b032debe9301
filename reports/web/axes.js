// SPDX-License-Identifier: Apache-2.0
// What all charts have in common: axes, tooltips, legends.

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

function axisLook() {
  const colours = ink();
  return {
    nameTextStyle: { color: colours.faint, fontFamily: font, fontSize: 12 },
    axisLabel: { color: colours.text, fontFamily: font, fontSize: 12, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: colours.line } },
    axisTick: { lineStyle: { color: colours.line } },
    splitLine: { show: true, lineStyle: { color: colours.grid } },
  };
}

/** Names stand below x axes, and above y axes, where they take no width. */
function placed(axis, way) {
  return way === "x" ? { ...axis, nameLocation: "middle", nameGap: 28 }
    : { ...axis, nameLocation: "end", nameGap: 12, nameTextStyle: { ...axis.nameTextStyle, align: "left" } };
}

/** From the smallest to the largest of `values`, which are positive, with a little room. */
function logAxis(way, name, values, label, ticksOf = logTicks) {
  let [low, high] = extentOf(values);
  const room = Math.max(Math.pow(high / low, 0.04), 1.01);
  low /= room;
  high *= room;
  const look = axisLook();
  const ticks = ticksOf(low, high);
  return placed({
    ...look, type: "log", name, min: low, max: high,
    axisLabel: { ...look.axisLabel, customValues: ticks, formatter: label },
    axisTick: { ...look.axisTick, customValues: ticks },
    splitLine: { ...look.splitLine, customValues: ticks },
    minorTick: { show: false }, minorSplitLine: { show: false },
  }, way);
}

/** The values of a setting: on a logarithmic axis, unless one of them is zero or less. */
function settingAxis(way, name, values, label) {
  const axis = Math.min(...values) > 0 ? logAxis(way, name, values, label) : valueAxis(way, name, label);
  for (const part of ["axisLabel", "axisTick", "splitLine"]) axis[part] = { ...axis[part], customValues: values };
  return axis;
}

function valueAxis(way, name, label, more = {}) {
  const look = axisLook();
  return placed({ ...look, type: "value", name, ...more, axisLabel: { ...look.axisLabel, formatter: label, ...more.axisLabel } }, way);
}

function categoryAxis(way, name, data, more = {}) {
  const look = axisLook();
  return placed({ ...look, type: "category", name, data, splitLine: { show: false }, ...more, axisLabel: { ...look.axisLabel, ...more.axisLabel } }, way);
}

function extentOf(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** The frame of every option. */
function chartBase(more = {}) {
  const colours = ink();
  return {
    animation: false,
    textStyle: { fontFamily: font, color: colours.text },
    grid: { left: 12, right: 20, top: 62, bottom: 34, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    tooltip: {
      confine: true, backgroundColor: colours.surface, borderColor: colours.line,
      textStyle: { color: colours.text, fontFamily: font, fontSize: 12 },
      extraCssText: "max-width: min(26rem, 80vw); white-space: normal; overflow-wrap: anywhere;",
      ...more.tooltip,
    },
    legend: {
      type: forced ? "plain" : "scroll", top: 0, left: 0, right: 0, ...(forced ? { itemWidth: 16, itemGap: 6 } : {}), textStyle: { color: colours.text, fontFamily: font },
      inactiveColor: colours.line, pageTextStyle: { color: colours.text }, pageIconColor: colours.text, pageIconInactiveColor: colours.line,
      ...more.legend,
    },
  };
}

/** A line across the chart with a name. */
function marker(entries) {
  const colours = ink();
  return {
    symbol: "none", silent: true, animation: false,
    lineStyle: { color: colours.mark, type: "dashed", width: 1.5 },
    label: { color: colours.text, fontFamily: font, fontSize: 11 },
    data: entries,
  };
}

/** Of points that lie on one another. */
const pointStyle = (index) => ({ color: colourAt(index), borderColor: ink().surface, borderWidth: 0.5 });
