// SPDX-License-Identifier: Apache-2.0
// One filter for all charts of a section: an expression of parameters and figures, as `--where` takes it.

const numberText = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i;
const scales = { "": 1, p: 1e-12, n: 1e-9, u: 1e-6, µ: 1e-6, m: 1e-3, s: 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** Words, numbers with units (`2 ms`, `64 KiB`, `50 %`), texts in quotes, signs. */
function filterTokens(text) {
  const tokens = [];
  let rest = text.trimStart();
  const take = (length, token) => { tokens.push(token); rest = rest.slice(length).trimStart(); };
  while (rest) {
    const sign = /^(&&|\|\||==|!=|<=|>=|[=<>!()[\],])/.exec(rest);
    const number = numberText.exec(rest);
    const quoted = /^(["'])(.*?)\1/.exec(rest);
    const word = /^[\p{L}_][\p{L}\p{N}_.:+-]*/u.exec(rest);
    if (sign) take(sign[0].length, { sign: sign[0] });
    else if (number) {
      const unit = /^\s*(?:([pnuµm]?)s|(KiB|MiB|B)|(%))(?![\p{L}\p{N}_])/u.exec(rest.slice(number[0].length));
      const scale = !unit ? 1 : unit[3] ? 0.01 : unit[2] ? { B: 1, KiB: 1024, MiB: 1048576 }[unit[2]] : scales[unit[1]];
      take(number[0].length + (unit ? unit[0].length : 0), { value: Number(number[0]) * scale });
    } else if (quoted) take(quoted[0].length, { value: quoted[2] });
    else if (word) take(word[0].length, { word: word[0] });
    else throw new Error(`'${rest[0]}' cannot be read`);
  }
  return tokens;
}

const filterFigures = ["time", "error", "registers", "occupancy", "shared", "spills", "tied"];

/** Each row's value by name: parameters, then figures; null where a row has none. */
function columnReader(view, name) {
  const parameter = view.parameters.findIndex((each) => each.name === name);
  if (parameter >= 0) return (row) => (view.rows.levels[parameter][row] < 0 ? null : view.parameters[parameter].values[view.rows.levels[parameter][row]]);
  if (name === "time") return (row) => secondsOf(view, row);
  if (name === view.objective.name) return (row) => (view.objective.maximised ? 1 / view.rows.value[row] : view.rows.value[row]);
  if (name === "tied") { const tied = new Set(view.rows.tied); return (row) => tied.has(row); }
  if (filterFigures.includes(name)) return (row) => view.rows[name]?.[row] ?? null;
  if (view.rows[`metric-${name}`]) return (row) => view.rows[`metric-${name}`][row];
  return null;
}

// A comparison with what a row has not is neither true nor false, as in `--where`: null.
const negated = (a) => (a === null ? null : !a);
const bothOf = (a, b) => (a === false || b === false ? false : a === null || b === null ? null : true);

/** A function that tells of each row whether it passes: true, or false or null. Throws an Error with the reason where the text is wrong. */
function parseFilter(text, view) {
  const tokens = filterTokens(text);
  let at = 0;
  const is = (...what) => tokens[at] && what.includes(tokens[at].sign ?? tokens[at].word);
  const expect = (sign) => { if (!is(sign)) throw new Error(`'${sign}' is missing`); at++; };
  const literal = () => {
    const token = tokens[at++];
    if (!token || token.sign) throw new Error("a value is missing");
    if (token.word === undefined) return token.value;
    return token.word === "true" ? true : token.word === "false" ? false : token.word;
  };
  const equal = (a, b) => a === b || (typeof a !== "number" && String(a) === String(b));
  const compare = { "==": equal, "=": equal, "!=": (a, b) => !equal(a, b), "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b };
  const comparison = () => {
    const token = tokens[at++];
    if (!token?.word) throw new Error("the name of a parameter is missing");
    const read = columnReader(view, token.word);
    if (!read) throw new Error(`no parameter '${token.word}'; there are: ${view.parameters.map((each) => each.name).concat(filterFigures).join(", ")}`);
    if (is("in")) {
      at++;
      expect("[");
      const values = [literal()];
      while (is(",")) { at++; values.push(literal()); }
      expect("]");
      return (row) => { const own = read(row); return own === null ? null : values.some((value) => equal(own, value)); };
    }
    const test = tokens[at]?.sign && compare[tokens[at].sign];
    if (!test) return (row) => { const own = read(row); return own === null ? null : Boolean(own); };
    at++;
    const value = literal();
    return (row) => { const own = read(row); return own === null ? null : test(own, value); };
  };
  const term = () => {
    if (is("not", "!")) { at++; const inner = term(); return (row) => negated(inner(row)); }
    if (!is("(")) return comparison();
    at++;
    const inner = either();
    expect(")");
    return inner;
  };
  const both = () => {
    let left = term();
    while (is("and", "&&", ",")) { at++; const [a, b] = [left, term()]; left = (row) => bothOf(a(row), b(row)); }
    return left;
  };
  const either = () => {
    let left = both();
    while (is("or", "||")) { at++; const [a, b] = [left, both()]; left = (row) => negated(bothOf(negated(a(row)), negated(b(row)))); }
    return left;
  };
  const whole = either();
  if (at < tokens.length) throw new Error(`'${tokens[at].sign ?? tokens[at].word ?? tokens[at].value}' is not expected`);
  return whole;
}

/** The share of the variance of log(value) that the levels explain alone (epsilon squared); null where unknown. */
function explainedShare(logs, levels) {
  const sums = new Map();
  let total = 0, squares = 0, count = 0;
  logs.forEach((log, i) => {
    if (levels[i] < 0) return;
    const group = sums.get(levels[i]) ?? { sum: 0, count: 0 };
    group.sum += log; group.count++;
    sums.set(levels[i], group);
    total += log; squares += log * log; count++;
  });
  if (sums.size < 2 || count <= sums.size) return null;
  const mean = total / count, all = squares - count * mean * mean;
  if (!(all > 1e-12)) return null;
  let between = 0;
  for (const { sum, count: n } of sums.values()) between += n * (sum / n - mean) ** 2;
  return Math.max(0, (between - ((sums.size - 1) * (all - between)) / (count - sums.size)) / all);
}

/** The section with the rows that pass alone; what charts show of parameters follows from these. */
function filteredSection(section, passes) {
  const { rows } = section;
  const kept = [];
  for (let row = 0; row < rows.value.length; row++) if (passes(row)) kept.push(row);
  const pick = (column) => (column ? kept.map((row) => column[row]) : column);
  const place = new Map(kept.map((row, i) => [row, i]));
  const own = { ...rows, levels: rows.levels.map(pick), tied: rows.tied.map((row) => place.get(row)).filter((row) => row !== undefined) };
  for (const name of Object.keys(rows)) if (name !== "levels" && name !== "tied") own[name] = pick(rows[name]);
  const even = kept.map((_, i) => i).filter((i) => !own.even || own.even[i]);
  const logs = even.map((i) => Math.log(own.value[i]));
  const parameters = section.parameters.map((parameter, p) => {
    const found = parameter.values.map(() => []);
    own.levels[p].forEach((level, i) => { if (level >= 0) found[level].push(own.value[i]); });
    const present = found.map((_, level) => level).filter((level) => found[level].length > 0);
    const renamed = new Map(present.map((level, i) => [level, i]));
    own.levels[p] = own.levels[p].map((level) => (level < 0 ? -1 : renamed.get(level)));
    const counts = present.map((level) => found[level].length);
    return { ...parameter, values: present.map((level) => parameter.values[level]), counts, count: counts.reduce((sum, count) => sum + count, 0),
      best: present.map((level) => found[level][0]), medians: present.map((level) => mid(found[level])),
      importance: explainedShare(logs, even.map((i) => own.levels[p][i])) };
  });
  return { ...section, rows: own, parameters, pair: null, measured: kept.length, median: mid(even.map((i) => own.value[i])), filtered: true, original: kept };
}

let filterProblem = "";
/** The section as charts see it: filtered where a filter is set and can be read. */
function chosenSection() {
  const section = currentSection();
  filterProblem = "";
  if (!state.filter.trim()) return section;
  try {
    return filteredSection(section, parseFilter(state.filter, section));
  } catch (problem) {
    filterProblem = problem.message;
    return section;
  }
}

/** A value as the filter reads it. */
const filterValue = (value) => (typeof value === "number" || typeof value === "boolean" || /^[\p{L}_][\p{L}\p{N}_.:+-]*$/u.test(value) ? String(value) : `'${value}'`);

/** The filter with another clause on one name; an empty clause removes it. */
function replacedClause(name, clause) {
  const clauses = state.filter.split(/\s+and\s+|\s*&&\s*/).filter((each) => each.trim() && !new RegExp(`^(not\\s+)?${name}\\b`).test(each.trim()));
  return [...clauses, ...(clause ? [clause] : [])].join(" and ");
}
const setClause = (name, clause) => setFilter(replacedClause(name, clause));

function setFilter(text) {
  state.filter = text;
  if (byId("filter").value !== text) byId("filter").value = text;
  drawSection();
  writeAddress();
}

function showFilterState(view) {
  const all = currentSection().rows.value.length;
  byId("filtered").textContent = filterProblem || (state.filter.trim() ? `${grouped(view.count)} of ${counted(all, "configuration")}` : "");
  byId("filter").toggleAttribute("aria-invalid", Boolean(filterProblem));
}
