// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "cli/input/stored.hpp"
#include "cli/serve/http_server.hpp"
#include "db/store/database.hpp"
#include "reports/data/report_data.hpp"

namespace tune::cli {

/// What of the database is shown. Throws as check_stored_choice and find_run.
reports::ReportFilter report_filter(const StoredChoice& choice, std::optional<std::uint64_t> run,
                                    bool all_versions, const db::Database& database);

/// The report's page over a database that others may be writing to. `/` is the page, `/data` what is new in
/// it, with an ETag that changes when the database does; both are made anew at most as often as they can be
/// made in a third of the time.
class LivePage {
 public:
  /// The database must outlive it. Throws Error where it has nothing that passes the filter.
  LivePage(const db::Database& database, reports::ReportFilter filter);

  HttpResponse answer(const HttpRequest& request);

 private:
  void refresh();

  const db::Database& database_;
  reports::ReportFilter filter_;
  std::map<std::int64_t, std::optional<search::Configuration>>
      defaults_;                                ///< by work: they take long to find
  std::string start_;                           ///< tells this server's tags from another's
  std::optional<std::int64_t> version_;         ///< of the data that is shown
  std::chrono::steady_clock::time_point next_;  ///< before this, nothing is made anew
  reports::ReportData data_;
  std::string page_, update_;  ///< empty where they were not asked for yet
};

}  // namespace tune::cli
