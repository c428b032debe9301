// SPDX-License-Identifier: Apache-2.0
// A page from `tune serve` asks for newer data, and keeps the choices made on it.

const live = { tag: null, waiting: 1000, run: null, marks: [] };

async function fetchUpdate() {
  const answer = await fetch("data", { headers: live.tag ? { "If-None-Match": live.tag } : {}, cache: "no-store" });
  if (answer.status === 304) return false;
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const update = await answer.json();
  live.tag = answer.headers.get("ETag");
  return update;
}

/** [[3, 2]] is [3, 4]. */
const expanded = (runs) => runs.flatMap(([first, count]) => Array.from({ length: count }, (_, i) => first + i));
const placesOf = (runs) => new Map(expanded(runs).map((number, place) => [number, place]));

/** A body with all its rows: of those that are not sent, the page has the content. Null where it has not. */
function completeBody(body, before) {
  if (!body.fresh) return body;
  const numbers = expanded(body.numbers), fresh = placesOf(body.fresh), old = placesOf(before.numbers);
  if (numbers.some((number) => !fresh.has(number) && !old.has(number))) return null;
  const joined = (sent, known) => numbers.map((number) => (fresh.has(number) ? sent[fresh.get(number)] : known(old.get(number))));
  const levels = body.parameters.map(({ name, values }, p) => {
    const was = before.parameters.findIndex((each) => each.name === name);
    const level = was < 0 ? [] : before.parameters[was].values.map((value) => values.indexOf(value)); // new values come between
    return joined(body.rows.levels[p], (row) => (was < 0 || before.rows.levels[was][row] < 0 ? -1 : level[before.rows.levels[was][row]]));
  });
  const columns = Object.entries(body.rows).filter(([name]) => name !== "levels" && name !== "tied").map(([name, sent]) => [name, joined(sent, (row) => before.rows[name]?.[row] ?? null)]);
  return { ...body, rows: { ...body.rows, ...Object.fromEntries(columns), levels } };
}

/** Only sections that changed are sent, and of their rows the new ones; the others are those of before. */
function applyUpdate(update) {
  const heading = (details) => details.firstElementChild.textContent;
  const open = new Set([...document.querySelectorAll("#sections details[open]")].map(heading));
  const before = new Map(state.data.sections.map((section) => [section.id, section]));
  const sections = update.ids.map((id) => {
    if (!update.sections[id]) return before.get(id);
    const { head, body } = update.sections[id];
    const whole = body.fresh && !before.has(id) ? null : completeBody(body, before.get(id));
    return whole && lazySection(head, () => whole);
  });
  if (sections.some((section) => !section)) { live.tag = null; return; } // all of it, next time
  replaceData({ ...state.data, crossovers: update.crossovers, sections });
  // The server escapes all text in these, as in the page itself.
  byId("tiles").innerHTML = update.tiles;
  byId("tables").innerHTML = update.summary;
  for (const [id, { html }] of Object.entries(update.sections)) {
    state.html.set(id, html);
    articles.delete(id);
  }
  for (const details of articleOf(currentSection()).querySelectorAll("details")) details.open = open.has(heading(details));
  fillChooser();
  fillContents();
  sortSummary();
  if (byId("search").value) searchWorks(byId("search").value);
  cards.filter((card) => card.chart.page).forEach(drawCard);
  showSection(state.section);
}

/** The run that goes on, as far as the database tells: what it has done, how fast, and when its budget ends. */
function runStatus() {
  const open = state.data.sections.flatMap((section) => section.runs.filter((run) => run.end === null).map((run) => ({ section, run })));
  const newest = open.sort((a, b) => b.run.run - a.run.run)[0];
  if (!newest || newest.run.run < Math.max(...state.data.sections.flatMap((section) => section.runs.map((run) => run.run)))) return null;
  const { section, run } = newest;
  const now = Date.now() / 1000;
  if (live.run !== run.run) Object.assign(live, { run: run.run, marks: [] });
  if (live.marks.at(-1)?.count !== run.evaluations) live.marks.push({ at: now, count: run.evaluations });
  live.marks = live.marks.slice(-30);
  const first = live.marks[0], last = live.marks.at(-1);
  const rate = last.at > first.at ? (last.count - first.count) / (last.at - first.at) : 0;
  if (now - last.at > 60) return { text: `run ${run.run}: nothing new for ${duration(now - last.at)}`, short: "" };
  const total = run.budget_evaluations ?? (section.space > 0 && !run.budget_seconds ? section.space : null);
  const left = [total && rate > 0 ? (total - run.evaluations) / rate : Infinity, run.budget_seconds ? run.budget_seconds - run.seconds : Infinity];
  const wait = Math.max(0, Math.min(...left));
  const best = run.progress.best.at(-1);
  const words = [`run ${run.run}, ${section.problem} ${section.size}: ${grouped(run.evaluations)}${total ? ` of ${grouped(total)}` : ""} evaluated`,
    ...(rate > 0 ? [`${significant(rate, 2)} per second`] : []), ...(Number.isFinite(wait) ? [`about ${duration(wait)} left`] : []),
    ...(best ? [`best ${sectionView(section).text(best)}`] : []), ...(run.failures > 0 ? [counted(run.failures, "failure")] : [])];
  return { text: words.join(", "), short: total ? `${Math.floor((100 * run.evaluations) / total)} %` : String(run.evaluations) };
}

function showStatus() {
  const status = runStatus();
  byId("live").textContent = status ? `live: ${status.text}` : "live";
  document.title = `${status?.short ? `${status.short} – ` : ""}tune: report`;
}

async function poll() {
  const note = byId("live");
  try {
    const update = await fetchUpdate();
    if (update) applyUpdate(update);
    showStatus();
    note.classList.remove("lost");
  } catch (problem) {
    note.textContent = "no answer from tune serve";
    note.classList.add("lost");
  }
  setTimeout(poll, live.waiting);
}

function startLive() {
  if (!document.body.dataset.live) return;
  live.tag = `"${document.body.dataset.live}"`;
  document.querySelector(".controls").prepend(make("span", { id: "live", role: "status" }, "live"));
  poll();
}
