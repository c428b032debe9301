// SPDX-License-Identifier: Apache-2.0
// Puts the page together.

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const button = byId("theme");
  button.hidden = false;
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", `switch to ${isDark() ? "light" : "dark"} colours`);
  drawAll();
}

/** Paper is white, shows everything, and is narrower than most windows. */
function preparePrint(printing) {
  if (printing === (forced === "light")) return;
  forced = printing ? "light" : null;
  document.documentElement.classList.toggle("paper", printing);
  if (printing) showAll();
  drawAll();
}

function start() {
  byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#summary a");
    if (!link) return;
    event.preventDefault();
    showSection(Number(link.closest("[data-section]").dataset.section));
    byId(`section-${state.section}`).scrollIntoView();
  });
  if (typeof echarts === "undefined") {
    byId("no-charts").hidden = false;
    setTheme();
    return;
  }
  byId("charts").hidden = false;
  // The one with most to show.
  state.section = state.data.sections.reduce((most, section, i, all) => (section.measured > all[most].measured ? i : most), 0);
  fillChooser();
  byId("section-choice").addEventListener("change", (event) => showSection(Number(event.target.value)));
  buildCards();
  setTheme();
  showSection(state.section);
  matchMedia("print").addEventListener("change", (query) => preparePrint(query.matches));
  addEventListener("beforeprint", () => preparePrint(true));
  addEventListener("afterprint", () => preparePrint(false));
  startLive();
}

start();
