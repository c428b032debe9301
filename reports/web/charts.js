// SPDX-License-Identifier: Apache-2.0
// The cards of the chosen section, in the order of the list in reports/CMakeLists.txt.

function fillChooser() {
  const chooser = byId("section-choice");
  chooser.replaceChildren(...state.data.sections.map((section, i) =>
    make("option", { value: String(i), selected: i === state.section }, section.title)));
}

const articles = new Map(); // by id

/** The sentences and tables of a work, made when it is first shown. All text in the HTML is escaped. */
function articleOf({ id }) {
  if (!articles.has(id)) articles.set(id, document.createRange().createContextualFragment(state.html.get(id)).firstElementChild);
  return articles.get(id);
}

/** Shows a section's sentences and charts. */
function showSection(index) {
  state.section = index;
  byId("section-choice").value = String(index);
  for (const row of document.querySelectorAll("#summary [data-section]")) row.classList.toggle("chosen", Number(row.dataset.section) === index);
  byId("sections").replaceChildren(articleOf(currentSection()));
  addCopyButtons();
  byId("shown").textContent = whatIsShown(currentSection());
  drawSection();
}

function drawSection() {
  showFilterState(currentView());
  cards.filter((card) => !card.chart.page).forEach(drawCard);
  markContents();
}

/** What is left out; empty where that is nothing. */
function whatIsShown(section) {
  const notes = section.shown < section.measured
    ? [`Of ${grouped(section.measured)} measured configurations ${grouped(section.shown)} are shown one by one: ` +
      "the best, the best with each value, and a uniform part of the rest. Tables, sentences and importance count all of them."]
    : [];
  for (const { name, values, all_values: all } of section.parameters)
    if (all) notes.push(`Of the ${grouped(all)} values of ${name}, the ${grouped(values.length)} of these configurations are listed.`);
  return notes.join(" ");
}

/** Watches what is in the page: charts that come into sight are drawn, and fit their place. */
function placeCards(place, placed) {
  byId(place).replaceChildren(...placed.map((card) => card.figure));
  for (const card of placed) {
    inSight.observe(card.figure);
    new ResizeObserver(() => { if (card.instance && card.instance.getWidth() !== card.plot.clientWidth) card.instance.resize(); }).observe(card.plot);
  }
}
