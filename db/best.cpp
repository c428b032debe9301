// SPDX-License-Identifier: Apache-2.0
#include "db/best.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "db/result_rows.hpp"
#include "db/rows.hpp"
#include "db/where.hpp"
#include "tuner/core/format.hpp"

namespace tune::db {
namespace {

using NamedExtents = std::vector<std::pair<std::string, std::int64_t>>;

/// Nothing where the extents have other names.
std::optional<double> size_distance(const NamedExtents& wanted, const NamedExtents& recorded) {
  if (wanted.empty()) return 0.0;
  if (wanted.size() != recorded.size()) return std::nullopt;
  double distance = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].first != recorded[i].first) return std::nullopt;
    distance +=
        std::abs(std::log(static_cast<double>(wanted[i].second) / static_cast<double>(recorded[i].second)));
  }
  return distance;
}

bool same_device(const BestQuery& query, const WorkInfo& work) {
  return !query.model_key || *query.model_key == work.model_key || *query.model_key == work.device;
}

bool same_architecture(const BestQuery& query, const WorkInfo& work) {
  return !query.architecture || *query.architecture == work.architecture;
}

Match match_of(bool device, bool size) {
  if (device) return size ? Match::exact : Match::other_size;
  return size ? Match::other_device : Match::other_device_and_size;
}

std::string explanation(const BestQuery& query, const Candidate& candidate) {
  const WorkInfo& work = candidate.result.work;
  std::string why;
  switch (candidate.match) {
    case Match::exact:
      why = query.extents.empty() && !query.model_key ? "a record of this problem"
                                                      : "recorded for exactly this";
      break;
    case Match::other_size:
      why = format("recorded on this device model at {}, the nearest size there is", work.size);
      break;
    case Match::other_device:
      why = format("recorded at this size on another device, {}", work.model_key);
      break;
    case Match::other_device_and_size:
      why = format("recorded at size {} on another device, {}", work.size, work.model_key);
      break;
  }
  if (!candidate.same_sources) why += "; the kernel sources have changed since";
  if (!candidate.same_compiler) why += format("; compiled by {}", work.toolchain.compiler);
  if (!candidate.same_driver) why += format("; under driver {}", work.driver);
  return why;
}

std::optional<Candidate> candidate_of(const BestQuery& query, ResultRow row, std::int64_t measured) {
  const std::optional<double> distance = size_distance(query.extents, row.work.extents);
  if (!distance) return std::nullopt;
  Candidate candidate;
  candidate.distance = *distance;
  candidate.match = match_of(same_device(query, row.work), *distance == 0);
  candidate.same_driver = !query.driver || *query.driver == row.work.driver;
  const bool any_compiler = !query.toolchain || query.toolchain->compiler.empty();
  candidate.same_compiler = any_compiler || query.toolchain->compiler == row.work.toolchain.compiler;
  candidate.same_sources = !query.toolchain || query.toolchain->source_hash == row.work.toolchain.source_hash;
  candidate.measured = measured;
  candidate.result = std::move(row);
  candidate.why = explanation(query, candidate);
  return candidate;
}

std::vector<ResultRow> ties_of(SQLite::Database& connection, const ResultRow& winner) {
  std::vector<ResultRow> ties;
  if (!winner.final || !winner.final->tied) return ties;
  SQLite::Statement row(
      connection,
      "SELECT * FROM results WHERE current AND final_tied AND final_run = ? AND evaluation <> ?"
      " AND evaluation IN (SELECT evaluation FROM finals WHERE run = ?) ORDER BY final_place");
  row.bind(1, winner.final->run);
  row.bind(2, winner.evaluation);
  row.bind(3, winner.final->run);
  while (row.executeStep()) ties.push_back(result_row(row));
  return ties;
}

}  // namespace

std::string_view to_string(Match match) {
  constexpr std::string_view names[] = {"exact", "other size", "other device", "other device and size"};
  return names[static_cast<std::size_t>(match)];
}

std::vector<Candidate> best(const Database& database, const BestQuery& query) {
  Where where;
  where.add("problem = ?", std::optional(query.problem));
  where.add("settings = ?", query.settings);
  where.add("origin = ?", std::optional(std::string(to_string(query.origin))));
  where.add("cache = ?", std::optional(std::string(to_string(query.cache))));
  std::vector<Candidate> result;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row(connection,
                          "SELECT *, (SELECT COUNT(*) FROM current_evaluations c WHERE c.work = b.work"
                          " AND c.time IS NOT NULL) AS measured FROM best_by_versions b" +
                              where.sql());
    where.bind(row);
    while (row.executeStep()) {
      if (auto candidate = candidate_of(query, result_row(row), integer(row, "measured")))
        result.push_back(*std::move(candidate));
    }
    for (Candidate& candidate : result) candidate.ties = ties_of(connection, candidate.result);
  });
  const auto rank = [&query](const Candidate& c) {
    const WorkInfo& work = c.result.work;
    return std::tuple(c.match, !same_architecture(query, work), c.distance, !c.same_sources, !c.same_compiler,
                      !c.same_driver, *c.result.time, c.result.evaluation);
  };
  std::ranges::sort(result, [&rank](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  return result;
}

}  // namespace tune::db
