// SPDX-License-Identifier: Apache-2.0
// A card holds a chart with its heading, choices and numbers. It is drawn when it comes into sight.

const cards = []; // {chart, figure, plot, instance, drawn}
const chartKinds = []; // filled by charts/*.js; see addChart

/**
 * A kind of chart: id, title, help (how to read it), wide, height in pixels, and draw(view, control), which gives
 * {option, table, note, events, spoken, height, minWidth, plain} or {empty: why there is nothing to draw}. spoken is read
 * aloud in place of the picture; plain shows the table alone. control(name, label, options, otherwise) makes a choice
 * and returns its value.
 */
const addChart = (kind) => chartKinds.push(kind);

function makeCard(chart) {
  const plot = make("div", { class: "plot", tabindex: "0", role: "img" });
  const card = { chart, plot, instance: null, visible: false };
  card.choices = make("div", { class: "choices" });
  card.note = make("p", { class: "note" });
  card.numbers = make("details", { class: "numbers" }, make("summary", {}, "Table"), make("div"));
  card.figure = make("figure", { class: chart.wide ? "card wide" : "card", id: `chart-${chart.id}` },
    make("figcaption", {}, make("h3", {}, chart.title), make("p", { class: "help" }, chart.help)),
    card.choices, make("div", { class: "scroll plot-frame" }, plot), card.note, card.numbers);
  cards.push(card);
  return card;
}

/** Redraws; the plot of a card that was not seen yet waits. */
function drawCard(card) {
  if (!card.visible) return;
  const view = sectionView(currentSection());
  const controls = [];
  const control = (name, label, options, otherwise) => {
    const value = choiceOf(card.chart.id, name, options.map(([key]) => key), otherwise);
    if (options.length > 1)
      controls.push(makeSelect(label, options, value, (chosen) => {
        choose(card.chart.id, name, chosen);
        drawCard(card);
        card.choices.querySelectorAll("select")[controls.findIndex((c) => c.dataset.name === name)]?.focus();
      }));
    if (options.length > 1) controls.at(-1).dataset.name = name;
    return value;
  };
  const drawing = card.chart.draw(view, control);
  card.choices.replaceChildren(...controls);
  card.note.textContent = drawing.empty ?? drawing.note ?? "";
  card.figure.classList.toggle("empty", Boolean(drawing.empty));
  card.figure.classList.toggle("plain", Boolean(drawing.plain));
  card.numbers.hidden = !drawing.table;
  card.numbers.lastChild.replaceChildren(...(drawing.table ? [makeTable(drawing.table)] : []));
  if (card.instance) card.instance.dispose();
  card.instance = null;
  if (drawing.empty || drawing.plain) return;
  card.plot.style.height = `${drawing.height ?? card.chart.height ?? 340}px`;
  card.plot.style.minWidth = drawing.minWidth && !forced ? `${drawing.minWidth}px` : "";
  card.plot.setAttribute("aria-label", `${card.chart.title}. ${drawing.spoken ?? ""}`);
  card.instance = echarts.init(card.plot, null, { renderer: forced ? "svg" : "canvas" });
  // Paper takes what is there at once.
  if (forced) for (const series of drawing.option.series) series.progressive = 0;
  card.instance.setOption(drawing.option);
  for (const [event, handler] of Object.entries(drawing.events ?? {}))
    card.instance.on(event, (what) => handler(what, card));
}

const drawAll = () => cards.forEach(drawCard);

const inSight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const card = cards.find((each) => each.figure === target);
    if (!isIntersecting || card.visible) continue;
    card.visible = true;
    drawCard(card);
  }
}, { rootMargin: "400px" });

/** For paper and for tests: nothing waits to be seen. */
function showAll() {
  for (const card of cards) {
    if (card.visible) continue;
    card.visible = true;
    drawCard(card);
  }
}
