// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/runs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"

namespace tune::testing {

nlohmann::json json_run(const Sandbox& sandbox, std::vector<std::string> more) {
  more.insert(more.end(), {"--device", "replay", "--format", "json"});
  const ProgramResult outcome = sandbox.tune(small_run(more));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

std::vector<std::int64_t> trace(const Sandbox& sandbox, RunId run) {
  std::vector<std::int64_t> seen;
  for (const db::ProgressPoint& point : db::run_details(db::Database(sandbox.database()), run).progress)
    seen.push_back(point.evaluation);
  return seen;
}

std::vector<std::string> configurations(const Sandbox& sandbox, RunId run) {
  const db::Database database(sandbox.database());
  std::map<std::int64_t, std::string> keys;
  db::ResultFilter all;
  all.failures = true;
  all.superseded = true;
  for (const db::ResultRow& row : db::list_results(database, all))
    keys[row.evaluation] = row.configuration.key();
  std::vector<std::string> seen;
  for (const std::int64_t evaluation : trace(sandbox, run)) seen.push_back(keys.at(evaluation));
  return seen;
}

}  // namespace tune::testing
