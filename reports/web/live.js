// SPDX-License-Identifier: Apache-2.0
// A page from `tune serve` asks for newer data, and keeps the choices made on it.

const live = { tag: null, waiting: 1000 };

async function fetchUpdate() {
  const answer = await fetch("data", { headers: live.tag ? { "If-None-Match": live.tag } : {}, cache: "no-store" });
  if (answer.status === 304) return false;
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const update = await answer.json();
  live.tag = answer.headers.get("ETag");
  return update;
}

function applyUpdate(update) {
  const open = [...document.querySelectorAll("#sections details")].map((details) => details.open);
  replaceData(update.data);
  byId("summary").querySelectorAll(":scope > :not(h2)").forEach((element) => element.remove());
  // The server escapes all text in these, as in the page itself.
  byId("summary").insertAdjacentHTML("beforeend", update.summary);
  byId("sections").innerHTML = update.sections;
  document.querySelectorAll("#sections details").forEach((details, i) => { details.open = open[i] ?? false; });
  fillChooser();
  showSection(state.section);
}

async function poll() {
  const note = byId("live");
  try {
    const update = await fetchUpdate();
    if (update) applyUpdate(update);
    note.textContent = "live";
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
