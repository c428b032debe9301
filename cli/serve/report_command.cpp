// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/input/stored_databases.hpp"
#include "cli/input/stored_problem.hpp"
#include "cli/output/output_file.hpp"
#include "cli/serve/live_page.hpp"
#include "library/run/paths.hpp"
#include "reports/report.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

std::string kinds_help() {
  std::string text;
  for (const reports::ReportKind& kind : reports::report_kinds())
    text += format("{}{} ({})", text.empty() ? "" : ", ", kind.name, kind.summary);
  return text + "; default: by the ending of --out, else text";
}

struct ReportRequest {
  StoredChoice stored;
  std::optional<std::uint64_t> run;
  bool all_versions = false;
  std::size_t top = reports::ReportFilter{}.top;
  std::string out;
  const reports::ReportKind* kind = nullptr;  ///< null: by the ending of `out`
  std::string database;

  void add_to(OptionTable& table);
};

void ReportRequest::add_to(OptionTable& table) {
  stored.add_to(table);
  table.count("run", "N", "only what this run saw", run, 1);
  table.flag("all-versions", "also results of drivers, compilers and sources that were tuned again later",
             all_versions);
  table.count("top", "N", "how many of the fastest configurations to list; default: 10", top, 1);
  table.text("out", "FILE", "write to a file; default: standard output", out);
  std::vector<std::pair<std::string, const reports::ReportKind*>> kinds;
  for (const reports::ReportKind& each : reports::report_kinds()) kinds.emplace_back(each.name, &each);
  table.choice("format", "FORMAT", kinds_help(), kinds, kind);
  add_database_option(table, database);
}

const reports::ReportKind& kind_for_file(const std::string& file) {
  const reports::ReportKind* by_name = reports::report_for_file(file);
  if (by_name == nullptr && !file.empty())
    throw UsageError(format("--out: the ending of '{}' says no format; name one with --format", file));
  return by_name != nullptr ? *by_name : *reports::find_report("text");
}

int run_report(const ReportRequest& request) {
  const std::string& out = request.out;
  const reports::ReportKind& kind = request.kind != nullptr ? *request.kind : kind_for_file(out);
  const std::filesystem::path path = run::database_path(request.database);
  const NamedFile output{"out", out};
  check_outputs({&output, 1}, {path.string()});
  const db::Database database(path, db::OpenMode::read_only);
  reports::ReportFilter filter = report_filter(request.stored, request.run, request.all_versions, database);
  filter.top = request.top;
  const std::string text = kind.make()->render(reports::collect(database, filter, stored_default));
  if (out.empty())
    std::cout << text;
  else
    write_whole_file(out, text);
  return 0;
}

}  // namespace

const Command& report_command() {
  static const Command command = {"report",
                                  "writes a report of the stored results",
                                  "tune report [--problem P] [--out FILE] [options]",
                                  "  tune report --problem stencil3d\n"
                                  "  tune report --problem stencil3d --out stencil3d.md\n"
                                  "  tune report --out report.html\n",
                                  "",
                                  bind_request<ReportRequest, run_report>};
  return command;
}

}  // namespace tune::cli
