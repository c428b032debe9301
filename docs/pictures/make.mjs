// SPDX-License-Identifier: Apache-2.0
// Makes the pictures of the README and the tutorials from real output:
//   node docs/pictures/make.mjs build/bin/tune build/reports/web/node_modules
// terminal.svg: a search on the recording of an H200. report.png: the page of `tune report` on that recording.
// crossover.svg and the pictures of problems: figures of `tune report --figures`; that of gemm_host measures this machine.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [tune, modules] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tune-pictures-"));
const call = (...words) => execFileSync(tune, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"],
  env: { ...process.env, HOME: folder, XDG_DATA_HOME: "", TUNE_DB: "" } }).replaceAll(folder, "~");

/** A window with a prompt and what the commands print, as text of SVG. */
function terminal(commands) {
  const lines = commands.flatMap((words) => [
    { prompt: true, text: `$ tune ${words.map((word) => (/[ '*<>]/.test(word) ? `'${word}'` : word)).join(" ")}` },
    ...call(...words, ...(words[0].startsWith("-") ? ["--quiet"] : [])).trimEnd().split("\n").map((text) => ({ text })), { text: "" }]);
  lines.pop();
  const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const height = 20, top = 44, width = 760;
  const rows = lines.map(({ text, prompt }, i) => `<text x="16" y="${top + i * height}"${prompt ? ' class="p"' : ""} xml:space="preserve">${escape(text)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top + lines.length * height}" role="img" aria-label="A run of tune in a terminal">
<style>text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6deeb}.p{fill:#7fdbca}</style>
<rect width="100%" height="100%" rx="8" fill="#11151c"/>
<circle cx="20" cy="18" r="5" fill="#4a5568"/><circle cx="38" cy="18" r="5" fill="#4a5568"/><circle cx="56" cy="18" r="5" fill="#4a5568"/>
${rows.join("\n")}
</svg>
`;
}

try {
  const run = ["--problem", "stencil3d", "--device", "replay"];
  writeFileSync(join(here, "terminal.svg"), terminal([run]));
  const recordings = join(here, "../../db/recordings"), recording = join(recordings, "nvidia_h200.db");
  for (const [problem, figure, picture, device] of [
    ["stencil3d", "crossover-stencil3d-radius", "crossover", "h200"],
    ["histogram", "crossover-histogram-bins", "histogram", "h200"],
    ["rotate", "crossover-rotate-angle-3", "rotate", "h100"],
    ["grid_knn", "crossover-grid_knn-k", "grid_knn", "h100"],
    ["triangle_count", "crossover-triangle_count-edges", "triangle_count", "h100"],
  ]) {
    call("report", problem, "--db", join(recordings, `nvidia_${device}.db`), "--figures", join(folder, problem));
    copyFileSync(join(folder, problem, `${figure}.svg`), join(here, `${picture}.svg`));
  }
  // Measured here: call it on a quiet machine.
  const products = join(folder, "gemm_host.db");
  call("run", "gemm_host", "--db", products, "--size", "1024x1024x1024", "--cache", "warm", "--strategy", "grid", "--samples", "5:15", "--finalists", "0",
    "--fix", "variant=loops6,threads=1,order=ikj,unroll_by=4,tile_m=64,vector_width=512");
  call("report", "--db", products, "--figures", join(folder, "gemm_host"));
  copyFileSync(join(folder, "gemm_host", "gemm_host-1024-warm-values.svg"), join(here, "gemm_host.svg"));
  const page = join(folder, "report.html");
  call("report", "--db", recording, "--out", page);
  const { chromium } = createRequire(import.meta.url)(join(modules, "playwright-core"));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const tab = await browser.newPage({ viewport: { width: 1280, height: 760 } });
  await tab.goto(`file://${page}`);
  await tab.waitForSelector("#sections article");
  await tab.evaluate(() => { document.querySelector(".source").textContent = "Results in nvidia_h200.db"; });
  await tab.waitForTimeout(1500);
  await tab.screenshot({ path: join(here, "report.png") });
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
