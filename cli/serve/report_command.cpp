// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/input/stored_databases.hpp"
#include "cli/input/stored_problem.hpp"
#include "cli/output/output_file.hpp"
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

po::options_description report_options() {
  po::options_description all;
  add_stored_options(all, true);
  all.add_options()("run", po::value<std::string>()->value_name("N"), "only what this run saw")  //
      ("all-versions", po::bool_switch(),
       "also results of drivers, compilers and sources that were tuned again later")  //
      ("top", po::value<std::string>()->value_name("N"),
       "how many of the fastest configurations to list; default: 10")                                     //
      ("out", po::value<std::string>()->value_name("FILE"), "write to a file; default: standard output")  //
      ("format", po::value<std::string>()->value_name("FORMAT"), kinds_help().c_str());
  add_database_option(all);
  return all;
}

const reports::ReportKind& chosen_kind(const po::variables_map& values, const std::string& file) {
  if (!values.count("format")) {
    const reports::ReportKind* by_name = reports::report_for_file(file);
    if (by_name == nullptr && !file.empty())
      throw UsageError(format("--out: the ending of '{}' says no format; name one with --format", file));
    return by_name != nullptr ? *by_name : *reports::find_report("text");
  }
  std::vector<std::string> names;
  for (const reports::ReportKind& kind : reports::report_kinds()) names.emplace_back(kind.name);
  return *reports::find_report(chosen_name(values, "format", names));
}

int run_report(const po::variables_map& values) {
  const std::string out = option_text(values, "out");
  const reports::ReportKind& kind = chosen_kind(values, out);
  reports::ReportFilter filter;
  filter.all_versions = values["all-versions"].as<bool>();
  filter.top = option_count(values, "top", filter.top, 1);
  const std::filesystem::path path = database_path(option_text(values, "db"));
  const NamedFile output{"out", out};
  check_outputs({&output, 1}, {path.string()});
  const db::Database database(path, db::OpenMode::read_only);
  const StoredChoice choice = stored_choice(values, &database);
  filter.problem = choice.problem;
  filter.size = choice.size;
  filter.device = choice.device;
  if (values.count("run")) filter.run = run_choice(values, "run", database);
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
                                  report_options,
                                  run_report};
  return command;
}

}  // namespace tune::cli
