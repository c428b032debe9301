// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "db/export.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/cli/stored_choice.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::cli {
namespace {

po::options_description options() {
  po::options_description all;
  all.add_options()("out", po::value<std::string>()->value_name("FILE"), "the new database");
  add_stored_options(all, false);
  all.add_options()("best-only", po::bool_switch(),
                    "of each problem, size and device the fastest configuration alone")  //
      ("without-samples", po::bool_switch(), "medians only: a third of the size");
  add_database_option(all);
  return all;
}

int run(const po::variables_map& values) {
  const std::string out = text_of(values, "out");
  if (out.empty()) throw UsageError("name the new database with --out FILE");
  db::ExportFilter filter;
  filter.best_only = values["best-only"].as<bool>();
  filter.current_only = true;
  filter.samples = !values["without-samples"].as<bool>();
  const db::Database source(database_path(text_of(values, "db")), db::Access::read_only);
  const StoredChoice choice = stored_choice(values, &source);
  filter.problem = choice.problem;
  filter.device = choice.device;
  const db::ExportResult result = db::export_database(source, out, filter);
  std::cout << format("{}: {} runs, {} evaluations, {} samples\n", out, result.runs, result.evaluations,
                      result.samples);
  return 0;
}

}  // namespace

const Command& export_command() {
  static const Command command = {"export",
                                  "copies a part of the database into a small one of its own",
                                  "tune export --out FILE [options]",
                                  "  tune export --problem stencil3d --without-samples --out stencil3d.db\n",
                                  "",
                                  options,
                                  run};
  return command;
}

}  // namespace tune::cli
