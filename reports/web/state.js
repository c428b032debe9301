// SPDX-License-Identifier: Apache-2.0
// What the page shows and what was chosen on it; choices go by name, so that they outlast other data.

const state = { data: JSON.parse(byId("data").textContent), section: 0, choices: {}, filter: "", found: null };

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
