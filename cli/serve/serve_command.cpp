// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/input/stored_databases.hpp"
#include "cli/output/interrupt.hpp"
#include "cli/serve/http_server.hpp"
#include "cli/serve/live_page.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

constexpr std::uint64_t default_port = 8420;

po::options_description serve_options() {
  po::options_description all;
  add_stored_options(all, true);
  all.add_options()("run", po::value<std::string>()->value_name("N"), "only what this run saw")  //
      ("all-versions", po::bool_switch(),
       "also results of drivers, compilers and sources that were tuned again later")  //
      ("port", po::value<std::string>()->value_name("N"),
       "where to listen, on this machine only; 0 for any free port; default: 8420");
  add_database_option(all);
  return all;
}

int port_of(const po::variables_map& values) {
  const std::uint64_t port = option_count(values, "port", default_port, 0);
  if (port > 65'535) throw UsageError(format("--port: {} is not a port: they end at 65535", port));
  return static_cast<int>(port);
}

int run_serve(const po::variables_map& values) {
  const int port = port_of(values);
  const db::Database database(database_path(option_text(values, "db")), db::OpenMode::read_only);
  const StoredChoice choice = stored_choice(values, &database);
  reports::ReportFilter filter;
  filter.problem = choice.problem;
  filter.size = choice.size;
  filter.device = choice.device;
  filter.all_versions = values["all-versions"].as<bool>();
  if (values.count("run")) filter.run = run_choice(values, "run", database);
  LivePage page(database, filter);
  HttpServer server(port);
  const InterruptGuard guard;
  std::cout << format("{} shows {}; Ctrl-C ends it\n", server.address(), database.path().string())
            << std::flush;
  server.serve([&](const HttpRequest& request) { return page.answer(request); },
               [] { return InterruptGuard::interrupted(); });
  return 0;
}

}  // namespace

const Command& serve_command() {
  static const Command command = {"serve",
                                  "shows the report's page in a browser, live while a run goes on",
                                  "tune serve [--db FILE] [--port N] [options]",
                                  "  tune serve\n"
                                  "  tune serve --problem stencil3d --port 0\n",
                                  "",
                                  serve_options,
                                  run_serve};
  return command;
}

}  // namespace tune::cli
