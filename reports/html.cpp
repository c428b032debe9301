// SPDX-License-Identifier: Apache-2.0
#include "reports/html.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "reports/page/html_text.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {

/// Files by name; made by cmake/TuneEmbed.cmake.
std::span<const std::pair<std::string_view, std::string_view>> page_files();
std::span<const std::pair<std::string_view, std::string_view>> library_files();

namespace {

std::string_view file_named(std::string_view name) {
  for (const auto& [file, text] : page_files())
    if (file == name) return text;
  throw std::logic_error(format("{} is not embedded", name));
}

}  // namespace

std::string_view page_style() {
  return file_named("style.css");
}

std::string page_script() {
  std::string script = "(() => {\n\"use strict\";\n";
  for (const auto& [file, text] : page_files())
    if (file.ends_with(".js")) script += text;
  return ascii_script(script + "})();\n");
}

std::string_view page_library() {
  return library_files().front().second;
}

std::string library_address() {
  const auto package = nlohmann::json::parse(file_named("package.json"));
  return format("https://cdn.jsdelivr.net/npm/echarts@{}/dist/echarts.min.js",
                package.at("dependencies").at("echarts").get<std::string>());
}

std::string library_integrity() {
  std::string hash(file_named("echarts.integrity"));
  while (!hash.empty() && hash.back() == '\n') hash.pop_back();
  return hash;
}

namespace {

/// Raised when a member of the page's data changes its meaning.
constexpr int page_version = 2;

/// Forbids to load or send anything but the parts of the page.
std::string policy(const PageOptions& options) {
  const std::string network = page_library().empty() ? " " + library_address() : "";
  return format(
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'{}; "
      "connect-src {}; base-uri 'none'; form-action 'none'",
      network, options.live.empty() ? "'none'" : "'self'");
}

std::string library_html(const PageOptions& options) {
  if (!options.library) return "";
  // As mere text: the script runs it when the first screen is drawn.
  if (!page_library().empty())
    return format("<script type=\"text/plain\" id=\"library\">{}</script>\n", page_library());
  return format("<script src=\"{}\" integrity=\"{}\" crossorigin=\"anonymous\"></script>\n",
                library_address(), library_integrity());
}

/// The frame of the page, which the script fills.
constexpr std::string_view header_html = R"(<header>
<h1>What tune found</h1>
<p class="source">{}</p>
<p class="controls"><button type="button" id="theme" hidden>Dark</button></p>
</header>
)";

/// Four bars, the last of which is the best.
constexpr std::string_view favicon_html =
    "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath "
    "fill='%230072b2' d='M1 1h3v14H1zM5 6h3v9H5zM9 4h3v11H9z'/%3E%3Cpath fill='%23d55e00' d='M13 "
    "10h3v5h-3z'/%3E%3C/svg%3E\">\n";

constexpr std::string_view contents_html = R"(<nav id="contents" aria-label="Contents">
<p class="search"><input type="search" id="search" placeholder="Search workloads" aria-label="Search workloads"></p>
<div id="contents-list"></div>
</nav>
)";

constexpr std::string_view charts_html = R"(<section id="charts" hidden aria-label="Charts">
<h2>Charts</h2>
<p id="shown" class="note"></p>
<div id="cards" class="cards"></div>
<p id="left-out" class="note"></p>
</section>
<p id="no-charts" class="note" hidden>The charts need the library ECharts, which is missing: this program was
built without it, and it could not be loaded from the network. Everything else is above.</p>
<noscript><p class="note">Charts need JavaScript; everything above works without it.</p></noscript>
)";

constexpr std::string_view bar_html = R"(<div id="bar" hidden>
<button type="button" id="open-contents" aria-expanded="false" aria-controls="contents">Contents</button>
<label for="section-choice">Workload</label><select id="section-choice"></select>
<label for="filter">Filter</label><input type="search" id="filter" spellcheck="false" autocapitalize="off" placeholder="block_x &gt;= 64 and time &lt; 2 ms" aria-describedby="filtered">
<output id="filtered" for="filter"></output>
</div>
)";

}  // namespace

std::string html_page(const PageParts& parts, const PageOptions& options) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy(options));
  html += "<title>tune: report</title>\n";
  html += favicon_html;
  html += format("<style>\n{}</style>\n</head>\n<body{}>\n", page_style(),
                 options.live.empty() ? "" : format(" data-live=\"{}\"", html_text(options.live)));
  html += format(fmt::runtime(header_html), html_text(parts.source));
  // The frame has its final widths from the start.
  html += "<script>document.body.classList.add(\"with-contents\")</script>\n";
  html += contents_html;
  html += "<main>\n<section id=\"summary\" aria-label=\"Summary\">\n<div id=\"tiles\">\n" + parts.tiles +
          "</div>\n";
  html += "<div id=\"overview\" class=\"cards\">" + parts.overview + "</div>\n";
  html += "<div id=\"tables\">\n" + parts.summary +
          "</div>\n<div id=\"comparison\" class=\"cards\"></div>\n</section>\n";
  html += bar_html;
  html += "<section id=\"sections\">\n";
  // A browser with scripts takes this as mere text: the script makes elements of the section that is shown.
  for (const PageSection& section : parts.each)
    html += format("<noscript data-of=\"{}\">\n{}</noscript>\n", section.id, section.html);
  html += "</section>\n";
  html += charts_html;
  html += "</main>\n";
  // The script comes last: the first screen is drawn before the browser has read it.
  html += format(
      "<script type=\"application/json\" id=\"data\">{}</script>\n",
      script_text(format(R"({{"format":"tune page","format_version":{},"crossovers":{},"sections":[{}]}})",
                         page_version, parts.crossovers, joined(parts.each, &PageSection::head, ","))));
  for (const PageSection& section : parts.each)
    html += format("<script type=\"application/json\" data-of=\"{}\">{}</script>\n", section.id,
                   script_text(section.body));
  html += library_html(options);
  html += format("<script>\n{}</script>\n", page_script());
  html += "</body>\n</html>\n";
  return html;
}

std::string page_update(const PageParts& parts, const std::function<std::string(std::size_t)>& body_of) {
  const auto quoted = [](const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  std::string ids, sections;
  for (std::size_t i = 0; i < parts.each.size(); ++i) {
    const PageSection& section = parts.each[i];
    ids += (i == 0 ? "" : ",") + quoted(section.id);
    const std::string body = body_of(i);
    if (body.empty()) continue;
    sections += format(R"({}{}:{{"head":{},"body":{},"html":{}}})", sections.empty() ? "" : ",",
                       quoted(section.id), section.head, body, quoted(section.html));
  }
  return format(R"({{"source":{},"tiles":{},"summary":{},"crossovers":{},"ids":[{}],"sections":{{{}}}}})",
                quoted(parts.source), quoted(parts.tiles), quoted(parts.summary), parts.crossovers, ids,
                sections);
}

}  // namespace tune::reports
