// SPDX-License-Identifier: Apache-2.0
// What the database and the shipped recordings have for a problem.
#include "db/read/best.hpp"
#include "library/run/paths.hpp"
#include "library/run/stored_databases.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::api {

std::optional<Stored> Tuner::best(const Problem& problem, const Sizes& sizes) {
  return guarded([&]() -> std::optional<Stored> {
    const std::shared_ptr<const tune::Problem> asked = made(problem.spec());
    const Instance instance = instance_at(asked->info(), sizes);
    const bool any_device = state_->emulated();
    Backend* const backend = state_->backend_of(*asked);
    const DeviceProperties device = any_device           ? architecture_properties("sm_90")
                                    : backend == nullptr ? host::device_properties()
                                                         : backend->properties();
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
    const Options& options = state_->options;
    const run::StoredDatabases databases =
        run::open_stored(run::database_path(options.database), false, options.installed, options.on_notice);
    std::optional<search::SearchSpace> space;
    const auto allows = [&](const search::Configuration& configuration) {
      if (!space) space.emplace(valid_space(*asked, instance, device, ""));
      return space->allows(configuration);
    };
    std::optional<Stored> stored;
    db::best(databases.all(), query, [&](db::BestCandidate& candidate) {
      if (candidate.match == db::Match::none) return false;
      if (candidate.match != db::Match::exact &&
          !db::make_valid(candidate, *databases.opened[candidate.database], query, allows))
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
