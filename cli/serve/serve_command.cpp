// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/input/stored_databases.hpp"
#include "cli/output/interrupt.hpp"
#include "cli/serve/http_server.hpp"
#include "cli/serve/live_page.hpp"
#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

constexpr std::uint64_t default_port = 8420;

struct ServeRequest {
  StoredChoice stored;
  std::optional<std::uint64_t> run;
  bool all_versions = false;
  std::uint64_t port = default_port;
  std::string database;

  void add_to(OptionTable& table);
};

void ServeRequest::add_to(OptionTable& table) {
  stored.add_to(table);
  table.count("run", "N", "only what this run saw", run, 1);
  table.flag("all-versions", "also results of drivers, compilers and sources that were tuned again later",
             all_versions);
  table.count("port", "N", "where to listen, on this machine only; 0 for any free port; default: 8420", port,
              0);
  add_database_option(table, database);
}

int run_serve(const ServeRequest& request) {
  if (request.port > 65'535)
    throw UsageError(format("--port: {} is not a port: they end at 65535", request.port));
  const db::Database database(run::database_path(request.database), db::OpenMode::read_only);
  const reports::ReportFilter filter =
      report_filter(request.stored, request.run, request.all_versions, database);
  LivePage page(database, filter);
  HttpServer server(static_cast<int>(request.port));
  const InterruptGuard guard;
  std::cout << format("{} shows {}; Ctrl-C ends it\n", server.address(), database.path().string())
            << std::flush;
  server.serve([&](const HttpRequest& asked) { return page.answer(asked); },
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
                                  bind_request<ServeRequest, run_serve>};
  return command;
}

}  // namespace tune::cli
