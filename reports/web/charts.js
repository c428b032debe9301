// SPDX-License-Identifier: Apache-2.0
// The cards of the chosen section, in the order of the list in reports/CMakeLists.txt.

function fillChooser() {
  const chooser = byId("section-choice");
  chooser.replaceChildren(...state.data.sections.map((section, i) =>
    make("option", { value: String(i), selected: i === state.section }, section.title)));
}

/** Shows a section's sentences and charts. */
function showSection(index) {
  state.section = index;
  byId("section-choice").value = String(index);
  for (const element of document.querySelectorAll("[data-section]")) {
    const own = Number(element.dataset.section) === index;
    if (element.classList.contains("section")) element.hidden = !own;
    else element.classList.toggle("chosen", own);
  }
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
    ? [`Of ${section.measured.toLocaleString("en")} measured configurations ${section.shown.toLocaleString("en")} are shown one by one: ` +
      "the best, the best with each value, and a uniform part of the rest. Tables, sentences and importance count all of them."]
    : [];
  for (const { name, values, all_values: all } of section.parameters)
    if (all) notes.push(`Of the ${all.toLocaleString("en")} values of ${name}, the ${values.length.toLocaleString("en")} of these configurations are listed.`);
  return notes.join(" ");
}

function buildCards() {
  const all = chartKinds.map(makeCard);
  byId("cards").replaceChildren(...all.filter((card) => !card.chart.page).map((card) => card.figure));
  const part = (id, below) => make("div", { id, class: "cards" }, ...all.filter((card) => card.chart.page && Boolean(card.chart.below) === below).map((card) => card.figure));
  byId("summary").prepend(part("overview", false));
  byId("summary").append(part("comparison", true));
  byId("summary").prepend(byId("summary").querySelector(".tiles"));
  for (const card of cards) {
    if (!card.chart.page) inSight.observe(card.figure);
    new ResizeObserver(() => card.instance?.resize()).observe(card.plot);
  }
}
