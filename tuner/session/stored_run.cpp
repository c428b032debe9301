// SPDX-License-Identifier: Apache-2.0
#include "tuner/session/stored_run.hpp"

namespace tune {

StoredRun::StoredRun(Store& store, const RunRecord& record)
    : store_(store), record_(record), runs_(1 + record.other_devices.size()) {}

RunId StoredRun::run_of(std::size_t device) {
  std::optional<RunId>& run = runs_.at(device);
  if (run) return *run;
  if (device == 0) {
    run = store_.begin_run(record_);
  } else {
    RunRecord own = record_;
    own.key.device = record_.other_devices[device - 1].properties;
    own.machine = record_.other_devices[device - 1].machine;
    run = store_.begin_run(own);
  }
  return *run;
}

void StoredRun::record(const Evaluation& evaluation) {
  const RunId maker = evaluation.reused ? id() : run_of(evaluation.device);
  store_.record(evaluation.is_comparison ? maker : id(), evaluation, maker);
}

void StoredRun::end(RunEnd end) {
  for (const std::optional<RunId>& run : runs_)
    if (run) store_.end_run(*run, end);
}

}  // namespace tune
