// SPDX-License-Identifier: Apache-2.0
// Elements. Text is always set as text, never as HTML.

const byId = (id) => document.getElementById(id);

/** make("td", {class: "number"}, "text", child, ...) */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) element.append(child);
  return element;
}

/** A table of numbers behind a chart: {head: [...], rows: [[...]]}; columns named in `numbers` are aligned right. */
function makeTable({ head, rows }) {
  const isNumber = (column) => rows.length > 0 && rows.every((row) => /^[-+\d–—]|^$/.test(String(row[column])));
  const right = head.map((_, column) => column > 0 && isNumber(column));
  const cell = (tag, text, column, more = {}) => make(tag, { class: right[column] ? "number" : null, ...more }, String(text));
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((text, i) => cell("th", text, i, { scope: "col" })))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text, i) => cell("td", text, i)))))));
}

/** A labelled choice; `options` are [value, text] pairs. */
function makeSelect(label, options, value, onChange) {
  const select = make("select", {}, ...options.map(([key, text]) => make("option", { value: key, selected: key === value }, text)));
  select.addEventListener("change", () => onChange(select.value));
  return make("label", {}, make("span", {}, label), select);
}

/** In tooltips, which ECharts takes as HTML. */
const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (letter) => "&#" + letter.charCodeAt(0) + ";");

/** Calls when the browser has drawn what it has; a window in the background draws nothing. */
const afterFrame = (call) => (document.hidden ? setTimeout(call) : requestAnimationFrame(() => setTimeout(call)));
