// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include "cli/input/command.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/terminal.hpp"
#include "cli/output/text_layout.hpp"
#include "cli/serve/http_server.hpp"
#include "library/run/paths.hpp"
#include "reports/figures/figures.hpp"
#include "reports/figures/plot.hpp"
#include "reports/html.hpp"
#include "reports/page/live_rows.hpp"
#include "reports/report.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

/// The options that choose what of a database is shown.
struct ReportChoice {
  StoredChoice stored;
  std::optional<std::uint64_t> run;
  bool all_versions = false;

  void add_to(OptionTable& table) {
    stored.add_to(table);
    table.count("run", "N", "only the evaluations that this run saw", run, 1);
    table.flag("all-versions",
               "include results of drivers, compilers and kernel sources that were tuned again later",
               all_versions);
  }
  /// Throws as settled and find_run.
  reports::ReportFilter filter(const db::Database& database) const {
    const StoredChoice chosen = settled(stored, &database);
    return {.problem = chosen.problem,
            .size = chosen.size,
            .device = chosen.device,
            .run = find_run(run, database),
            .all_versions = all_versions};
  }
};

reports::ProblemFacts facts_of(const db::Database& database, const db::Workload& workload) {
  reports::ProblemFacts facts{.default_configuration = stored_default(database, workload)};
  if (const auto cheaper = stored_low_fidelity(database, workload)) {
    facts.low_fidelity = cheaper->instance;
    facts.low_fidelity_text = cheaper->difference;
  }
  facts.with_formula = [&database, workload](const Objective& named) {
    return stored_metric(database, workload, named);
  };
  return facts;
}

/// The report's page of a database that other programs may be writing to. `/` is the page, `/data` its newest
/// data, with an ETag that changes when the database does. Rendering takes at most about a third of the time.
class LivePage {
 public:
  /// The database must outlive it. Throws Error where nothing passes the filter.
  LivePage(const db::Database& database, reports::ReportFilter filter);

  HttpResponse answer(const HttpRequest& request);

 private:
  void refresh();

  const db::Database& database_;
  reports::ReportFilter filter_;
  /// By workload, because finding them takes long.
  std::map<std::int64_t, reports::ProblemFacts> facts_;
  std::string start_;                           ///< tells this server's tags from another's
  std::optional<std::int64_t> version_;         ///< of the data that is shown
  std::chrono::steady_clock::time_point next_;  ///< before this, nothing is made anew
  reports::PageParts parts_;
  /// A section: its texts, the version of the data in which they last changed, and its rows.
  struct Change {
    std::string text;
    std::int64_t version = 0;
    reports::LiveRows rows;
    std::string body;  ///< with the numbers of the rows
  };
  std::map<std::string, Change> changes_;  ///< by the section's id
};

LivePage::LivePage(const db::Database& database, reports::ReportFilter filter)
    : database_(database),
      filter_(std::move(filter)),
      start_(format("{}", std::chrono::system_clock::now().time_since_epoch().count())) {
  refresh();
}

void LivePage::refresh() {
  const auto begin = std::chrono::steady_clock::now();
  if (version_ && begin < next_) return;
  // Read before the data, so that anything written meanwhile makes them outdated.
  const std::int64_t version = database_.data_version();
  if (version_ == version) return;
  const auto known_facts = [&](const db::Workload& workload) {
    const auto [place, added] = facts_.try_emplace(workload.id);
    if (added) place->second = facts_of(database_, workload);
    return place->second;
  };
  database_.read([&](SQLite::Database&) {
    parts_ = reports::page_parts(reports::collect(database_, filter_, known_facts));
  });
  version_ = version;
  for (reports::PageSection& section : parts_.each) {
    Change& change = changes_[section.id];
    if (std::string now = section.head + section.body + section.html; now != change.text) {
      change.text = std::move(now);
      change.version = version;
      change.body = change.rows.take(section.body, version);
    }
    section.body = change.body;
  }
  const auto end = std::chrono::steady_clock::now();
  next_ = end + 3 * (end - begin);
}

HttpResponse LivePage::answer(const HttpRequest& request) {
  if (request.path != "/" && request.path != "/data")
    return {.status = 404,
            .type = "text/plain; charset=utf-8",
            .body = "this server has / and /data\n",
            .headers = {}};
  refresh();
  const std::string tag = format("{}-{}", start_, *version_);
  HttpResponse response;
  if (request.path == "/") {
    response.type = "text/html; charset=utf-8";
    response.body = reports::html_page(parts_, {.live = tag});
    return response;
  }
  response.type = "application/json";
  response.headers.emplace_back("ETag", format("\"{}\"", tag));
  const auto known = request.headers.find("if-none-match");
  if (known != request.headers.end() && known->second == format("\"{}\"", tag)) {
    response.status = 304;
    return response;
  }
  // A page with an older state of this server's data gets what changed since.
  std::optional<std::int64_t> since;
  const std::string own = format("\"{}-", start_);
  if (known != request.headers.end() && known->second.starts_with(own))
    since = std::atoll(known->second.c_str() + own.size());
  response.body = reports::page_update(parts_, [&](std::size_t i) {
    const reports::PageSection& section = parts_.each[i];
    const Change& change = changes_.at(section.id);
    if (!since) return section.body;
    return change.version > *since ? change.rows.since(*since) : std::string();
  });
  return response;
}

std::string kinds_help() {
  const auto text_of = [](const reports::ReportKind& kind) {
    return format("{} ({})", kind.name, kind.summary);
  };
  return joined(reports::report_kinds(), text_of) + "; default: by the ending of --out, else text";
}

struct ReportRequest {
  ReportChoice choice;
  std::size_t top = reports::ReportFilter{}.top;
  std::string out;
  const reports::ReportKind* kind = nullptr;  ///< null: by the ending of `out`
  std::string figures;                        ///< a folder; empty: none
  std::optional<double> width;                ///< of figures, in points
  std::string database;

  void add_to(OptionTable& table);
};

/// `column`, `page`, or inches; in points.
double parse_width(const std::string& text) {
  if (text == "column") return reports::column_width;
  if (text == "page") return reports::page_width;
  double inches = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), inches);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(inches >= 2 && inches <= 20))
    throw UsageError(
        format("--width: '{}' is neither column, page, nor a number of inches from 2 to 20", text));
  return 72 * inches;
}

void ReportRequest::add_to(OptionTable& table) {
  choice.add_to(table);
  table.count("top", "N", "list the N fastest configurations; default: 10", top, 1);
  table.text("out", "FILE", "write to FILE; default: standard output", out);
  std::vector<std::pair<std::string, const reports::ReportKind*>> kinds;
  for (const reports::ReportKind& each : reports::report_kinds()) kinds.emplace_back(each.name, &each);
  table.choice("format", "FORMAT", kinds_help(), kinds, kind);
  table.text("figures", "DIR",
             "write the figures of a paper into DIR: SVG, PDF, their data as CSV, and captions", figures);
  table.add("width", "W",
            "width of the figures: column (3.33 in), page (7 in), or a number of inches; default: column",
            [this](const std::string& text) { width = parse_width(text); });
  add_database_option(table, database);
}

const reports::ReportKind& kind_for_file(const std::string& file) {
  const reports::ReportKind* by_name = reports::report_for_file(file);
  if (by_name == nullptr && !file.empty())
    throw UsageError(format("--out: the ending of '{}' names no format; choose one with --format", file));
  return by_name != nullptr ? *by_name : *reports::find_report("text");
}

/// Where a terminal shows more than a few sections, a summary, and how to see more.
void print_text(const reports::ReportData& data, const ReportRequest& request) {
  constexpr std::size_t few = 3;
  const TextStyle style = output_style();
  if (style.width == 0 || data.sections.size() <= few) {
    std::cout << reports::text_report(data, style);
    return;
  }
  const auto largest = std::ranges::max_element(data.sections, {}, reports::evaluated);
  const db::Workload& workload = largest->workload;
  std::string command = "tune report";
  if (!request.database.empty()) command += " --db " + shell_quoted(request.database);
  const std::string& problem = shell_quoted(workload.problem);
  std::cout << reports::text_summary(data, style) << "\n"
            << labelled("one work", format("{} --problem {} --size {}", command, problem, workload.size))
            << labelled("one run", format("{} --run N  ('tune list runs' has the numbers)", command))
            << labelled("in a page", format("{} --out report.html", command))
            << labelled("everything", format("{} | less -S", command));
}

/// Makes the folder, which may be there.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder) || ::access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(
        format("--figures: '{}' is not a folder that you may write to: name another", folder.string()));
}

void write_figures(const reports::ReportData& data, const ReportRequest& request) {
  const std::filesystem::path folder = request.figures;
  const std::size_t count = reports::write_figures(
      data, request.width.value_or(reports::column_width),
      [&](const std::string& name, const std::string& text) { write_whole_file(folder / name, text); });
  if (count == 0)
    throw Error("no figure can be drawn: nothing was measured in what was chosen", Exit::no_answer);
  std::cout << format("{} in {}: SVG, PDF and CSV of each, captions.md, captions.tex\n",
                      counted(count, "figure"), folder.string());
}

int run_report(const ReportRequest& request) {
  const std::string& out = request.out;
  if (request.width && request.figures.empty())
    throw UsageError("--width is of figures: give --figures DIR too");
  const reports::ReportKind& kind = request.kind != nullptr ? *request.kind : kind_for_file(out);
  const std::filesystem::path path = run::database_path(request.database);
  const NamedFile output{"out", out};
  check_outputs({&output, 1}, {path.string()});
  if (!request.figures.empty()) make_folder(request.figures);
  const db::Database database(path, db::OpenMode::read_only);
  const LeftOutRows left_out(database);
  reports::ReportFilter filter = request.choice.filter(database);
  filter.top = request.top;
  // One state of the file, also for what is read while it is written.
  database.read([&](SQLite::Database&) {
    const reports::ReportData data = reports::collect(
        database, filter, [&](const db::Workload& workload) { return facts_of(database, workload); });
    if (!request.figures.empty()) write_figures(data, request);
    if (out.empty() && !request.figures.empty() && request.kind == nullptr) return;
    if (out.empty() && &kind == reports::find_report("text"))
      print_text(data, request);
    else if (out.empty())
      kind.write(data, std::cout);
    else
      write_whole_file(out, [&](std::ostream& file) { kind.write(data, file); });
  });
  return 0;
}

}  // namespace

Command report_command() {
  return {"report",
          "writes a report of the stored results",
          "tune report [P] [--out FILE] [options]",
          "  tune report stencil3d\n"
          "  tune report stencil3d --out stencil3d.md\n"
          "  tune report --out report.html\n"
          "  tune report stencil3d --figures figures --width page\n",
          "problem",
          bind_request<ReportRequest, run_report>};
}

namespace {

constexpr std::uint64_t default_port = 8420;

struct ServeRequest {
  ReportChoice choice;
  std::uint64_t port = default_port;
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table);
};

void ServeRequest::add_to(OptionTable& table) {
  choice.add_to(table);
  table.count("port", "N", "port on this machine; 0: any free port; default: 8420", port, 0);
  add_database_option(table, database);
  add_format_option(table, format);
}

int run_serve(const ServeRequest& request) {
  if (request.port > 65'535)
    throw UsageError(format("--port: {} is not a port: the largest is 65535", request.port));
  const db::Database database(run::database_path(request.database), db::OpenMode::read_only);
  LivePage page(database, request.choice.filter(database));
  HttpServer server(static_cast<int>(request.port));
  const InterruptGuard guard;
  if (request.format == Format::json)
    std::cout << json_text({{"address", server.address()}, {"database", database.path().string()}});
  else
    std::cout << format("{} shows {}; Ctrl-C ends it\n", server.address(), database.path().string());
  std::cout.flush();
  server.serve([&](const HttpRequest& asked) { return page.answer(asked); },
               [] { return InterruptGuard::interrupted(); });
  return 0;
}

}  // namespace

Command serve_command() {
  return {"serve",
          "shows the report in a browser, updated during a run",
          "tune serve [P] [--db FILE] [--port N] [options]",
          "  tune serve\n"
          "  tune serve stencil3d --port 0\n",
          "problem",
          bind_request<ServeRequest, run_serve>};
}

}  // namespace tune::cli
