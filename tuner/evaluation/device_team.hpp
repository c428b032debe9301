// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/device_equality.hpp"
#include "tuner/evaluation/device_worker.hpp"

namespace tune {

/// The devices of a run. Several have a thread each, which takes work from the evaluators that share them;
/// one has none: its evaluator uses it in the thread of the caller.
class DeviceTeam {
 public:
  /// What has work for devices.
  class Work {
   public:
    virtual ~Work() = default;
    /// Does a part of the work on the device, in its thread; false where there is nothing to do now.
    virtual bool work_on(std::size_t device) = 0;
  };

  /// The backends must outlive the team. `numbers`: of the devices, for messages.
  explicit DeviceTeam(std::vector<Backend*> backends, std::vector<int> numbers = {});
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;
  /// All work must have ended.
  ~DeviceTeam();

  std::size_t size() const { return backends_.size(); }
  bool has_threads() const { return size() > 1; }
  Backend& backend(std::size_t device) { return *backends_[device]; }

  /// The first that was added is asked first.
  void add(Work& work);
  /// Returns when no device works for it.
  void remove(Work& work);

  /// While true, calls of the devices end early.
  void stop(bool stopped) { stopped_ = stopped; }
  bool stopped() const { return stopped_; }

  std::size_t first() const;
  std::size_t taking_part() const;
  bool may_evaluate(std::size_t device) const;
  /// Counts an evaluation. Where a comparison is due, the `incumbent` (may be null) becomes the common
  /// configuration. `seconds`: that it just took on the device, if it was measured now.
  void count(std::size_t device, bool is_doubtful, const std::shared_ptr<const CompiledPlan>& incumbent,
             std::optional<double> seconds);
  /// The configuration that the device must time before anything else; null for none.
  std::shared_ptr<const CompiledPlan> owed(std::size_t device) const;
  /// See DeviceEquality::add. Returns the ratios to the first device that were decided, by device.
  std::vector<std::pair<std::size_t, double>> compare(std::size_t device, std::optional<double> seconds,
                                                      const std::string& failure);
  /// False where it is the only one that takes part, which stays.
  bool leave_out(std::size_t device, const std::string& why);

  std::vector<DeviceShare> shares() const;
  /// Takes the lines about devices that take no part any more.
  std::vector<std::string> take_lines();

 private:
  void run(std::size_t device, const std::stop_token& stop);
  void tell(std::string line);

  std::vector<Backend*> backends_;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Work*> work_;
  std::vector<Work*> done_by_;  ///< for what each device works; null: it waits
  DeviceEquality equality_;
  std::shared_ptr<const CompiledPlan> common_;
  std::vector<std::string> lines_;
  std::vector<std::jthread> threads_;
};

}  // namespace tune
