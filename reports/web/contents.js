// SPDX-License-Identifier: Apache-2.0
// The list of works and charts at the side, the search in it, and the order of the summary.

function fillContents() {
  const groups = new Map();
  state.data.sections.forEach((section, i) => groups.set(section.problem, [...(groups.get(section.problem) ?? []), i]));
  const several = new Set(state.data.sections.map((section) => section.device.key)).size > 1;
  const link = (i) => {
    const section = state.data.sections[i];
    const settings = Object.entries(section.settings).filter(([name, value]) => name !== "type" || value !== "float").map(([name, value]) => (typeof value === "string" ? value : `${name}=${value}`));
    return make("li", { "data-work": String(i) }, make("a", { href: `#${section.id}` }, `${section.size} `, make("small", {}, [...settings, ...(several ? [section.device.name] : [])].join(" "))));
  };
  const current = currentSection().problem;
  byId("contents-list").replaceChildren(
    make("ul", {}, make("li", {}, make("a", { href: "#summary" }, "Summary")), ...(!byId("chart-compare").hidden ? [make("li", {}, make("a", { href: "#chart-compare" }, "Comparison"))] : []),
      ...(!byId("chart-crossover").hidden ? [make("li", {}, make("a", { href: "#chart-crossover" }, "Which variant wins"))] : [])),
    ...[...groups].map(([problem, works]) => make("details", { open: problem === current || groups.size === 1 }, make("summary", {}, problem, " ", make("small", {}, String(works.length))), make("ul", {}, ...works.map(link)))),
    make("h4", {}, "Charts of this workload"), make("ul", { id: "chart-links" }), make("p", {}, make("a", { href: "#top" }, "Back to top")));
}

function markContents() {
  for (const item of document.querySelectorAll("[data-work]")) {
    const own = Number(item.dataset.work) === state.section;
    if (own) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute("aria-current");
    if (own && !item.closest("details").open) item.closest("details").open = true;
  }
  byId("chart-links").replaceChildren(...cards.filter((card) => !card.chart.page && !card.figure.hidden).map((card) => make("li", {},
    make("a", { href: `#${currentSection().id}/${card.chart.id}`, "aria-current": card.chart.id === shownChart ? "true" : null }, card.chart.title))));
}

/** Hides works that lack one of the words, here and in the summary. */
function searchWorks(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = state.data.sections.map((section) => {
    const all = `${section.title} ${section.best?.variant ?? ""}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  for (const item of document.querySelectorAll("[data-work]")) item.hidden = !found[Number(item.dataset.work)];
  for (const group of byId("contents-list").querySelectorAll("details")) {
    group.hidden = !group.querySelector("[data-work]:not([hidden])");
    if (words.length > 0) group.open = true;
  }
  for (const row of document.querySelectorAll("#summary [data-section]")) row.hidden = !found[Number(row.dataset.section)];
  for (const body of document.querySelectorAll("#summary tbody")) body.classList.toggle("none", !body.querySelector("[data-section]:not([hidden])"));
  state.found = found;
  cards.filter((card) => card.chart.page).forEach(drawCard);
}

/** Headings of the summary sort: down, up, as before. */
function sortSummary() {
  for (const table of document.querySelectorAll("#summary table")) {
    const bodies = [...table.tBodies], all = make("tbody", {});
    const groups = bodies.map((body) => [...body.rows]);
    const key = (row, column) => row.cells[column]?.dataset.value ?? row.cells[column]?.textContent ?? "";
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button", class: "sort" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const way = { none: "descending", descending: "ascending", ascending: "none" }[head.getAttribute("aria-sort") ?? "none"];
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        table.classList.toggle("sorted", way !== "none");
        if (way === "none") {
          all.remove();
          bodies.forEach((body, i) => { body.append(...groups[i]); table.append(body); });
          return;
        }
        head.setAttribute("aria-sort", way);
        const rows = groups.flat().filter((row) => row.dataset.section);
        const numeric = rows.some((row) => row.cells[column]?.dataset.value);
        const missing = (text) => (numeric && text !== "" && !Number.isNaN(Number(text)) ? 0 : numeric ? 1 : 0);
        rows.sort((a, b) => {
          const [p, q] = [key(a, column), key(b, column)];
          if (missing(p) !== missing(q)) return missing(p) - missing(q);
          return (way === "ascending" ? 1 : -1) * (numeric ? Number(p) - Number(q) : p.localeCompare(q, "en", { numeric: true }));
        });
        bodies.forEach((body) => body.remove());
        all.replaceChildren(...rows);
        table.append(all);
      });
    });
    table.classList.add("sortable");
  }
}

function openContents(open) {
  document.body.classList.toggle("contents-open", open);
  byId("open-contents").setAttribute("aria-expanded", String(open));
  if (open) byId("search").focus();
}

function startContents() {
  byId("bar").hidden = false;
  byId("open-contents").addEventListener("click", () => openContents(!document.body.classList.contains("contents-open")));
  byId("contents").addEventListener("click", (event) => { if (event.target.closest("a")) openContents(false); });
  addEventListener("keydown", (event) => { if (event.key === "Escape" && document.body.classList.contains("contents-open")) { openContents(false); byId("open-contents").focus(); } });
  byId("search").addEventListener("input", (event) => searchWorks(event.target.value));
  let waiting = 0;
  byId("filter").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => setFilter(event.target.value), 200);
  });
  sortSummary();
}
