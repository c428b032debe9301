// SPDX-License-Identifier: Apache-2.0
// What leaves the page: pictures, tables, copied text.

function download(name, type, content) {
  const address = content.startsWith("data:") ? content : URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  if (address !== content) setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A spreadsheet computes what begins with these: they get a quote in front, as in `tune report --format csv`. */
const csvCell = (value) => {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[-+]?[\d.]+(e[-+]?\d+)?( ?%)?$/i.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvText = ({ head, rows }) => [head, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";

/** The picture as it is on the page, as vectors. */
function svgText(card) {
  const picture = echarts.init(null, null, { renderer: "svg", ssr: true, width: card.plot.clientWidth, height: card.plot.clientHeight });
  const option = { ...card.drawing.option, animation: false, backgroundColor: ink().surface };
  picture.setOption({ ...option, series: option.series.map((series) => ({ ...series, progressive: 0 })) });
  const text = picture.renderToSVGString();
  picture.dispose();
  return text;
}

function savingMenu(card) {
  const name = () => `${card.chart.page ? "tune" : currentSection().id}-${card.chart.id}`;
  const button = (label, save) => {
    const made = make("button", { type: "button" }, label);
    made.addEventListener("click", () => { save(); card.saving.open = false; });
    return made;
  };
  return make("details", { class: "saving" }, make("summary", { "aria-label": `Save: ${card.chart.title}` }, "Save"), make("div", {},
    button("SVG", () => card.instance && download(`${name()}.svg`, "image/svg+xml", svgText(card))),
    button("PNG", () => card.instance && download(`${name()}.png`, "image/png", card.instance.getDataURL({ pixelRatio: 2, backgroundColor: ink().surface }))),
    button("CSV", () => (card.drawing.csv || card.drawing.table) && download(`${name()}.csv`, "text/csv", csvText(card.drawing.csv?.() ?? card.drawing.table)))));
}

async function copyText(button, text) {
  const label = button.textContent;
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else throw new Error("no clipboard");
    button.textContent = "Copied";
  } catch {
    // Pages from a file have no clipboard in some browsers.
    const area = make("textarea", {}, text);
    document.body.append(area);
    area.select();
    button.textContent = document.execCommand("copy") ? "Copied" : "Select and copy";
    area.remove();
  }
  setTimeout(() => { button.textContent = label; }, 1200);
}

function addCopyButtons() {
  for (const code of document.querySelectorAll(".copied code"))
    if (!code.nextElementSibling) code.after(make("button", { type: "button", "data-copy": code.textContent, "aria-label": `Copy ${code.closest("div").querySelector("dt").textContent}` }, "Copy"));
}
