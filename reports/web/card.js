// SPDX-License-Identifier: Apache-2.0
// A card holds a chart with its heading, choices and numbers. It is drawn when it comes into sight.

const cards = []; // {chart, figure, plot, instance, visible: was in sight, near: is in sight, waits: for that}
const chartKinds = []; // filled by charts/*.js; see addChart

/**
 * A kind of chart: id, title, help (how to read it), wide, page (of all works, not of the chosen one), below (the summary), height in pixels,
 * and draw(view, control), which gives {option, table, note, events, spoken, height, element, plain} or {empty: why there
 * is nothing to draw}. spoken is read aloud in place of the picture; plain shows the table alone; element stands in place
 * of the picture. control(name, label, options, otherwise) makes a choice and returns its value.
 */
const addChart = (kind) => chartKinds.push(kind);

function makeCard(chart) {
  const plot = make("div", { class: "plot", tabindex: "0", role: "img" });
  const card = { chart, plot, instance: null, visible: false, near: false, waits: false, drawing: null };
  card.choices = make("div", { class: "choices" });
  card.note = make("p", { class: "note" });
  card.element = make("div", { class: "element" });
  card.numbers = make("details", { class: "numbers" }, make("summary", {}, "Table"), make("div"));
  card.numbers.addEventListener("toggle", () => fillNumbers(card));
  card.saving = savingMenu(card);
  card.figure = make("figure", { class: chart.wide ? "card wide" : "card", id: `chart-${chart.id}` },
    make("figcaption", {}, make("h3", {}, chart.title),
      make("details", { class: "help" }, make("summary", { "aria-label": `How to read: ${chart.title}` }, "?"), make("p", {}, chart.help)), card.saving),
    card.choices, make("div", { class: "plot-frame" }, plot), card.element, card.note, card.numbers);
  cards.push(card);
  return card;
}

/** The numbers are put in when they are opened. */
function fillNumbers(card) {
  const { table } = card.drawing ?? {};
  card.numbers.hidden = !table;
  card.numbers.lastChild.replaceChildren(...(table && (card.numbers.open || card.drawing.plain) ? [makeTable(table)] : []));
}

let known = {}; // the last view
/** The chosen section as it is filtered. */
function currentView() {
  const section = currentSection();
  if (known.section !== section || known.filter !== state.filter) known = { section, filter: state.filter, view: sectionView(chosenSection()) };
  return known.view;
}

/** The controls that a chart asks for. */
function controlsOf(card) {
  const controls = [];
  const control = (name, label, options, otherwise) => {
    const value = choiceOf(card.chart.id, name, options.map(([key]) => key), otherwise);
    if (options.length < 2) return value;
    const select = makeSelect(label, options, value, (chosen) => {
      choose(card.chart.id, name, chosen);
      drawCard(card);
      card.choices.querySelector(`[data-name="${name}"] select`)?.focus();
    });
    select.dataset.name = name;
    controls.push(select);
    return value;
  };
  return { controls, control };
}

/** Runs the chart library, which the page has as text until a chart needs it. */
function loadLibrary() {
  const text = byId("library");
  if (!text) return;
  text.remove();
  document.head.append(make("script", {}, text.textContent));
}

/** Redraws; a picture that is out of sight waits, and so does all of a chart of one work that was not seen yet. */
function drawCard(card) {
  if (!card.visible && !card.chart.page) return;
  const { controls, control } = controlsOf(card);
  const view = card.chart.page ? null : currentView();
  const drawing = card.drawing = view && view.count === 0 && view.filtered ? { empty: "No configuration passes the filter." } : card.chart.draw(view, control);
  card.choices.replaceChildren(...controls);
  card.note.textContent = drawing.empty ?? drawing.note ?? "";
  card.figure.hidden = Boolean(drawing.empty);
  card.figure.classList.toggle("plain", Boolean(drawing.plain || drawing.element));
  card.element.replaceChildren(...(drawing.element ? [drawing.element] : []));
  card.figure.classList.toggle("tabular", Boolean(drawing.element));
  card.saving.hidden = !drawing.option && !drawing.table && !drawing.csv;
  card.saving.classList.toggle("no-picture", !drawing.option);
  if (drawing.plain && !card.opened) card.numbers.open = card.opened = true;
  fillNumbers(card);
  if (card.instance) card.instance.dispose();
  card.instance = null;
  cardsChanged();
  if (drawing.empty || drawing.plain || drawing.element) return;
  card.plot.style.height = `${drawing.height ?? card.chart.height ?? 340}px`;
  card.plot.setAttribute("aria-label", `${card.chart.title}. ${drawing.spoken ?? ""}`);
  card.waits = card.visible && !card.near && !forced;
  if (!card.visible || card.waits) return;
  loadLibrary();
  card.plot.replaceChildren();
  card.instance = echarts.init(card.plot, null, { renderer: forced ? "svg" : "canvas" });
  // Paper takes what is there at once.
  if (forced) for (const series of drawing.option.series) series.progressive = 0;
  card.instance.setOption(drawing.option);
  for (const [event, handler] of Object.entries(drawing.events ?? {}))
    card.instance.on(event, (what) => handler(what, card));
  if (view?.groupName) card.instance.on("legendselectchanged", ({ name }) => setTimeout(() => leaveOut(view, name.replace(/ \(\d+\)$/, "")))); // the event ends first
}

/** A click on a group's name in a legend takes it out of all charts. */
function leaveOut(view, group) {
  const left = view.groups.filter((each) => each !== group);
  if (left.length < view.groups.length && left.length > 0) setClause(view.groupName, `${view.groupName} in [${left.map(filterValue).join(", ")}]`);
}

let changing = 0;
/** What is not shown is named once, below the others. */
function cardsChanged() {
  if (!state.ready) return;
  clearTimeout(changing);
  changing = setTimeout(() => {
    const empty = cards.filter((card) => !card.chart.page && card.drawing?.empty);
    byId("left-out").textContent = empty.length === 0 ? "" : `Not shown: ${empty.map((card) => `${card.chart.title} (${card.drawing.empty.replace(/\.$/, "")})`).join("; ")}.`;
    markContents();
  });
}

const drawAll = () => cards.forEach(drawCard);

const inSight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const card = cards.find((each) => each.figure === target);
    card.near = isIntersecting;
    if (!isIntersecting || (card.visible && !card.waits)) continue;
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
