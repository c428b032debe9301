// SPDX-License-Identifier: Apache-2.0
// Colours that people with any colour vision tell apart (M. Okabe, K. Ito), each with a symbol and a kind of line.

const categorical = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a8a00"],
  dark: ["#56b4e9", "#e69f00", "#2fc79a", "#e59ac4", "#f0e442", "#ff7f3f", "#ffffff", "#9db4ff"],
};
const symbols = ["circle", "rect", "triangle", "diamond", 
  "path://M3,0h4v3h3v4h-3v3h-4v-3h-3v-4h3z", "path://M0,0h10l-5,9z", "path://M2,0l3,3l3,-3l2,2l-3,3l3,3l-2,2l-3,-3l-3,3l-2,-2l3,-3l-3,-3z", "roundRect"];
const frameColour = "#d55e00"; // seen on all of viridis
const lineKinds = ["solid", "dashed", "dotted", [8, 3, 2, 3], [12, 4], [3, 3], [14, 3, 3, 3], [1, 4]];
// Lightness alone tells them apart (after matplotlib's viridis).
const viridis = ["#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154"];

let forced = null; // "light" on paper
function isDark() {
  if (forced) return forced === "dark";
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const colourAt = (index) => categorical[isDark() ? "dark" : "light"][index % 8];
const symbolAt = (index) => symbols[index % 8];
const lineKindAt = (index) => lineKinds[index % 8];

/** What is neither data nor choice: text, lines. */
function ink() {
  return isDark()
    ? { text: "#e6e8eb", faint: "#a3abb5", line: "#4a525c", grid: "#31373f", surface: "#1b1f24", winner: "#ffffff", mark: "#c3cad3" }
    : { text: "#1c2126", faint: "#5a636d", line: "#9aa3ad", grid: "#e3e7eb", surface: "#ffffff", winner: "#000000", mark: "#3d454d" };
}

/** From fast to slow, the same in both themes, so that pictures of two people match. */
const sequence = () => viridis;

/** Black or white, whichever can be read on the sequence at `share` (0 to 1). */
const readableOn = (share) => (share < 0.5 ? "#000000" : "#ffffff");
