// SPDX-License-Identifier: Apache-2.0
// Puts the page together.

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const button = byId("theme");
  button.hidden = false;
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", `switch to ${isDark() ? "light" : "dark"} colours`);
  if (cards.some((card) => card.drawing)) drawAll();
}

/** Paper is white, shows everything, and is narrower than most windows. */
function preparePrint(printing) {
  if (printing === (forced === "light")) return;
  forced = printing ? "light" : null;
  document.documentElement.classList.toggle("paper", printing);
  if (printing) showAll();
  drawAll();
}

/** A click on a link within the page: to a work, to a chart of it, or to a part. */
function follow(event) {
  const link = event.target.closest?.('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  if (link.hash === "#top") scrollTo({ top: 0 });
  else if (location.hash === link.hash) goToAddress();
  else location.hash = link.hash;
}

/** A chart moves while those above it are drawn for the first time: they are drawn first. */
function goToAddress() {
  const filter = state.filter;
  const target = readAddress();
  if (!target) return;
  byId("filter").value = state.filter;
  if (target.id.startsWith("chart-")) for (const card of cards) {
    const drawn = card.visible;
    card.visible = true;
    if (card.chart.page && !drawn) drawCard(card);
    if (card.figure === target) break;
  }
  if (target.closest("#summary") && filter === state.filter) { target.scrollIntoView(); return; }
  showSection(state.section);
  target.scrollIntoView();
}

/** What the page can do at once; the rest follows when the first screen is drawn. */
function start() {
  byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (button) copyText(button, button.dataset.copy);
  });
  setTheme();
  afterFrame(startWorks);
}

/** The picture that the page has stands for its chart until somebody wants more of it. */
function keepPicture(card) {
  const picture = document.querySelector("#overview .picture");
  if (picture) {
    card.plot.append(picture);
    const replace = () => { if (!card.instance) drawCard(card); };
    for (const event of ["pointerenter", "focusin"]) card.figure.addEventListener(event, replace, { once: true });
  }
  placeCards("overview", [card]);
  drawCard(card);
  card.visible = true;
}

function startWorks() {
  state.ready = true;
  for (const text of document.querySelectorAll("#sections > noscript")) state.html.set(text.dataset.of, text.textContent);
  if (typeof echarts === "undefined" && !byId("library")) {
    document.body.classList.remove("with-contents");
    byId("sections").replaceChildren(...state.data.sections.map(articleOf));
    addCopyButtons();
    byId("no-charts").hidden = false;
    return;
  }
  // The work with most to show.
  state.section = state.data.sections.reduce((most, section, i, all) => (section.measured > all[most].measured ? i : most), 0);
  byId("charts").hidden = false;
  chartKinds.forEach(makeCard);
  keepPicture(cards.find(({ chart }) => chart.id === "overview"));
  placeCards("comparison", cards.filter(({ chart }) => chart.below));
  placeCards("cards", cards.filter(({ chart }) => !chart.page));
  fillChooser();
  byId("section-choice").addEventListener("change", (event) => { showSection(Number(event.target.value)); writeAddress(); });
  startContents();
  cards.filter(({ chart }) => chart.below).forEach(drawCard);
  fillContents();
  document.addEventListener("click", follow);
  addEventListener("hashchange", goToAddress);
  const addressed = readAddress();
  showSection(state.section);
  if (addressed) goToAddress();
  followScrolling();
  matchMedia("print").addEventListener("change", (query) => preparePrint(query.matches));
  addEventListener("beforeprint", () => preparePrint(true));
  addEventListener("afterprint", () => preparePrint(false));
  startLive();
  (globalThis.requestIdleCallback ?? setTimeout)(loadLibrary);
}

start();
