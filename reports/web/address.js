// SPDX-License-Identifier: Apache-2.0
// The address names what is shown: #gemm-4096-tf32x3/importance?filter=block_m>=64&heatmap.x=stages

let shownChart = "";

function writeAddress() {
  const choices = new URLSearchParams();
  if (state.filter.trim()) choices.set("filter", state.filter);
  for (const [name, value] of Object.entries(state.choices)) choices.set(name, value);
  const query = choices.toString();
  const address = `#${currentSection().id}${shownChart && `/${shownChart}`}${query && `?${query}`}`;
  if (address !== location.hash) history.replaceState(null, "", address);
}

/** Takes section, chart and choices from the address. Returns the element to scroll to, or null. */
function readAddress() {
  const [, id, chart = "", query = ""] = /^#([^/?]*)\/?([^?]*)\??(.*)$/.exec(location.hash) ?? [];
  if (!id) return null;
  const index = state.data.sections.findIndex((section) => section.id === id);
  if (index < 0) return byId(id);
  state.section = index;
  for (const [name, value] of new URLSearchParams(query))
    if (name === "filter") state.filter = value;
    else if (/^[\w-]+\.[\w-]+$/.test(name)) state.choices[name] = value;
  shownChart = cards.some((card) => card.chart.id === chart) ? chart : "";
  return shownChart ? byId(`chart-${shownChart}`) : articleOf(currentSection());
}

/** The address follows the chart that is read. */
function followScrolling() {
  let waiting = 0;
  addEventListener("scroll", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const line = innerHeight / 3;
      const card = cards.find(({ chart, figure }) => {
        const { top, bottom, height } = figure.getBoundingClientRect();
        return !chart.page && height > 0 && top <= line && bottom > line;
      });
      const top = byId("sections").getBoundingClientRect().top;
      if (top > innerHeight || (!card && byId("charts").getBoundingClientRect().top < line)) return;
      shownChart = card?.chart.id ?? "";
      markContents();
      writeAddress();
    }, 150);
  }, { passive: true });
}
