// SPDX-License-Identifier: Apache-2.0
// What the page shows and what was chosen on it; choices go by name, so that they outlast other data.

// What only the charts of a work itself need of it.
const bodyMembers = ["shown", "group", "pair", "parameters", "rows", "cost", "failures", "numbers"];

/** A work whose body is read when one of its members is first asked for. */
function lazySection(head, read) {
  const section = { ...head };
  const define = (name, what) => Object.defineProperty(section, name, { configurable: true, enumerable: true, ...what });
  for (const name of bodyMembers) define(name, { get() {
    const body = read();
    for (const each of bodyMembers) define(each, { value: body[each] });
    return body[name];
  } });
  return section;
}

function firstData() {
  const data = JSON.parse(byId("data").textContent);
  return { ...data, sections: data.sections.map((head) => lazySection(head, () => JSON.parse(document.querySelector(`script[data-of="${head.id}"]`).textContent))) };
}

const state = { data: firstData(),
  ready: false, html: new Map(), section: 0, choices: {}, filter: "", found: null };

const currentSection = () => state.data.sections[state.section];

/** The choice of a control, as far as it is one of `allowed`. */
function choiceOf(chart, control, allowed, otherwise) {
  const chosen = state.choices[`${chart}.${control}`];
  return allowed.includes(chosen) ? chosen : otherwise;
}
const choose = (chart, control, value) => {
  state.choices[`${chart}.${control}`] = value;
  writeAddress();
};

/** Takes new data; the chosen section stays the chosen one. */
function replaceData(data) {
  const key = sectionKey(currentSection());
  state.data = data;
  state.section = Math.max(0, data.sections.findIndex((section) => sectionKey(section) === key));
}
