// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>

#include "kernels/registry.hpp"
#include "kernels/sources.hpp"
#include "reports/report.hpp"
#include "search/space/search_space.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/cli/stored_choice.hpp"
#include "tuner/core/architectures.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::cli {
namespace {

std::string kinds_help() {
  std::string text;
  for (const reports::ReportKind& kind : reports::report_kinds())
    text += format("{}{} ({})", text.empty() ? "" : ", ", kind.name, kind.summary);
  return text + "; default: by the ending of --out, else text";
}

po::options_description options() {
  po::options_description all;
  add_stored_options(all, true);
  all.add_options()("all-versions", po::bool_switch(),
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

/// The configuration that the problem declares as its default, where the problem is known and the
/// configuration valid.
std::optional<Configuration> default_configuration(const db::WorkInfo& work) {
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (entry.name != work.problem) continue;
    const auto problem = entry.make();
    std::vector<std::pair<std::string, Value>> settings;
    const Configuration stored = Configuration::parse(work.settings);
    for (const auto& [name, value] : stored.entries()) settings.emplace_back(name, value);
    try {
      const Instance instance = make_instance(problem->info(), work.size, settings);
      const search::SearchSpace space(problem->space(instance, architecture_facts(work.architecture)));
      const auto id = space.default_configuration();
      if (id) return space.at(*id);
    } catch (const UsageError&) {
      return std::nullopt;  // stored by a version that knew other settings or devices
    }
  }
  return std::nullopt;
}

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error(format("cannot write '{}': is the folder there, and room on the disk?", name));
}

int run(const po::variables_map& values) {
  const std::string out = text_of(values, "out");
  const reports::ReportKind& kind = chosen_kind(values, out);
  reports::ReportFilter filter;
  filter.all_versions = values["all-versions"].as<bool>();
  filter.top = count_of(values, "top", filter.top, 1);
  const db::Database database(database_path(text_of(values, "db")), db::Access::read_only);
  const StoredChoice choice = stored_choice(values, &database);
  filter.problem = choice.problem;
  filter.size = choice.size;
  filter.device = choice.device;
  const std::string text = kind.make()->render(reports::collect(database, filter, default_configuration));
  if (out.empty())
    std::cout << text;
  else
    write_file(out, text);
  return 0;
}

}  // namespace

const Command& report_command() {
  static const Command command = {"report",
                                  "writes a report of the stored results",
                                  "tune report [--problem P] [--out FILE] [options]",
                                  "  tune report --problem stencil3d\n"
                                  "  tune report --problem stencil3d --out stencil3d.md\n",
                                  "",
                                  options,
                                  run};
  return command;
}

}  // namespace tune::cli
