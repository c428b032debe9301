// SPDX-License-Identifier: Apache-2.0
// Every configuration that passes the filter, as a table that sorts.

const pageOfRows = 50;
const shownRowsOf = { key: "", count: pageOfRows };

function configurationColumns(view) {
  const columns = [
    { name: view.quantity, text: (row) => view.text(view.rows.value[row]), key: (row) => view.rows.value[row], csv: (row) => (view.objective.maximised ? 1 / view.rows.value[row] : view.rows.value[row]) },
    { name: "against the best", text: (row) => signedPercent(view.change(view.rows.value[row])), key: (row) => view.rows.value[row], csv: (row) => view.change(view.rows.value[row]) },
  ];
  if (view.rate.amount > 0) columns.push({ name: "rate", text: (row) => si(view.rate.amount / secondsOf(view, row), view.rate.unit), key: (row) => secondsOf(view, row), csv: (row) => view.rate.amount / secondsOf(view, row) });
  for (const i of view.parameters.map((_, index) => index)) {
    const read = (row) => (view.level(i, row) < 0 ? null : view.parameters[i].values[view.level(i, row)]);
    columns.push({ name: view.parameters[i].name, parameter: true, varied: view.varied.includes(i), text: (row) => String(read(row) ?? "–"), key: read, csv: (row) => read(row) ?? "" });
  }
  for (const [id, figure] of Object.entries(figures))
    if (view.rows[id]?.some((value) => value !== null)) columns.push({ name: figure.name, text: (row) => (view.rows[id][row] === null ? "–" : figure.text(view.rows[id][row])), key: (row) => view.rows[id][row], csv: (row) => view.rows[id][row] ?? "" });
  return columns;
}

function sortedRows(view, column, falling) {
  const rows = [...view.indices];
  if (!column) return rows;
  const order = (a, b) => {
    const [p, q] = [column.key(a), column.key(b)];
    if (p === null || q === null) return (p === null) - (q === null);
    return (falling ? -1 : 1) * (typeof p === "number" && typeof q === "number" ? p - q : String(p).localeCompare(String(q), "en", { numeric: true }));
  };
  return rows.sort((a, b) => order(a, b) || a - b);
}

const configurationObject = (view, row) => Object.fromEntries(view.parameters.map((parameter, i) => [parameter.name, view.level(i, row)]).filter(([, level]) => level >= 0)
  .map(([name, level]) => [name, view.parameters.find((each) => each.name === name).values[level]]));

addChart({
  id: "configurations",
  title: "All configurations",
  help: "Each row is a measured configuration that passes the filter. Click a heading to sort. Copy gives a row as NAME=VALUE for `tune check --config`, or as JSON.",
  wide: true,
  draw(view, control) {
    if (view.count === 0) return { empty: "No configuration was measured." };
    const which = control("columns", "columns", [["varied", "varied parameters"], ["all", "all parameters"], ["figures", "only figures"]], "varied");
    const copied = control("copy", "copy as", [["flags", "NAME=VALUE"], ["json", "JSON"]], "flags");
    const all = configurationColumns(view);
    const columns = all.filter((column) => !column.parameter || which === "all" || (which === "varied" && column.varied));
    const [chosen = "", way = "up"] = (state.choices["configurations.sort"] ?? "").split("~");
    const column = columns.find((each) => each.name === chosen);
    const rows = sortedRows(view, column, way === "down");
    const key = [currentSection().id, state.filter, chosen, way].join();
    if (shownRowsOf.key !== key) Object.assign(shownRowsOf, { key, count: pageOfRows });
    const card = cards.find((each) => each.chart.id === "configurations");
    const heading = (each) => {
      const sorted = each === column;
      const button = make("button", { type: "button", class: "sort" }, each.name);
      button.addEventListener("click", () => { choose("configurations", "sort", `${each.name}~${sorted && way === "up" ? "down" : "up"}`); drawCard(card); });
      return make("th", { scope: "col", "aria-sort": sorted ? { up: "ascending", down: "descending" }[way] : null }, button);
    };
    const copy = (row) => { const object = configurationObject(view, row); return copied === "json" ? JSON.stringify(object) : Object.entries(object).map((pair) => pair.join("=")).join(","); };
    const line = (row) => make("tr", {}, ...columns.map((each) => make("td", { class: each.parameter ? null : "number" }, each.text(row))),
      make("td", {}, make("button", { type: "button", "data-copy": copy(row) }, "Copy")));
    const body = make("tbody", {}, ...rows.slice(0, shownRowsOf.count).map(line));
    const more = make("button", { type: "button", class: "more" }, `Show ${pageOfRows * 4} more`);
    more.hidden = rows.length <= shownRowsOf.count;
    more.addEventListener("click", () => {
      body.append(...rows.slice(shownRowsOf.count, shownRowsOf.count + pageOfRows * 4).map(line));
      shownRowsOf.count += pageOfRows * 4;
      more.hidden = rows.length <= shownRowsOf.count;
    });
    return {
      element: make("div", {}, make("div", { class: "scroll tall", tabindex: "0" }, make("table", {}, make("thead", {}, make("tr", {}, ...columns.map(heading), make("th", {}, ""))), body)), more),
      note: `${counted(view.count, "configuration")}${view.count < view.measured ? ` of ${grouped(view.measured)}` : ""}.`,
      csv: () => ({ head: all.map((each) => each.name), rows: rows.map((row) => all.map((each) => each.csv(row))) }),
    };
  },
});
