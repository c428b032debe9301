// SPDX-License-Identifier: Apache-2.0
// What the database and the shipped recordings have for a problem.
#include <filesystem>

#include "db/read/best.hpp"
#include "library/run/paths.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::api {
namespace {

/// The user's database, if there is one, and the recordings that can be read.
std::vector<std::unique_ptr<db::Database>> open_all(const Options& options) {
  std::vector<std::unique_ptr<db::Database>> opened;
  const std::filesystem::path own = run::database_path(options.database);
  if (std::filesystem::exists(own))
    opened.push_back(std::make_unique<db::Database>(own, db::OpenMode::read_only));
  for (const std::filesystem::path& recording : run::shipped_recordings(options.installed)) try {
      opened.push_back(std::make_unique<db::Database>(recording, db::OpenMode::immutable));
    } catch (const tune::Error& error) {
      if (options.on_notice) options.on_notice(error.what());
    }
  return opened;
}

}  // namespace

std::optional<Stored> Tuner::best(const Problem& problem, const Sizes& sizes) {
  return guarded([&]() -> std::optional<Stored> {
    const std::shared_ptr<const tune::Problem> asked = made(problem.spec());
    const Instance instance = instance_at(asked->info(), sizes);
    const bool any_device = state_->emulated();
    const DeviceProperties device =
        any_device ? architecture_properties("sm_90") : state_->backend()->properties();
    db::BestQuery query;
    query.problem = instance.problem;
    query.extents = instance.extents;
    query.settings = instance.settings_key();
    query.toolchain = Toolchain{"", source_hash(*asked, *sources_of(*asked))};
    query.cache = state_->request.cache;
    run::TuningRequest request = state_->request;
    run::settle(request, asked.get());
    query.objective = tune::objective_of(*request.objective, *asked, instance);
    if (!any_device) query.device = db::lookup_device(device);
    const std::vector<std::unique_ptr<db::Database>> opened = open_all(state_->options);
    std::vector<const db::Database*> databases;
    for (const auto& database : opened) databases.push_back(database.get());
    std::optional<search::SearchSpace> space;
    const auto allows = [&](const search::Configuration& configuration) {
      if (!space) space.emplace(valid_space(*asked, instance, device, ""));
      return space->allows(configuration);
    };
    std::optional<Stored> stored;
    db::best(databases, query, [&](db::BestCandidate& candidate) {
      if (candidate.match == db::Match::none) return false;
      if (candidate.match != db::Match::exact &&
          !db::make_valid(candidate, *opened[candidate.database], query, allows))
        return false;
      const db::ResultRow& result = candidate.result;
      Stored& found = stored.emplace();
      found.configuration = to_values(result.configuration);
      found.seconds = result.time.value_or(0);
      found.joules = result.timing ? result.timing->energy : 0;
      found.match = lookup::to_string(candidate.match);
      found.why = candidate.reason;
      found.size = result.workload.size;
      found.device = result.workload.device;
      return true;
    });
    return stored;
  });
}

}  // namespace tune::api
