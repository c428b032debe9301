// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/device_team.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// Between two looks of a device that waits for a compile.
constexpr std::chrono::milliseconds look_interval{2};

std::vector<std::string> names_of(std::size_t count, const std::vector<int>& numbers) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(format("device {}", i < numbers.size() ? numbers[i] : static_cast<int>(i)));
  return names;
}

}  // namespace

DeviceTeam::DeviceTeam(std::vector<Backend*> backends, std::vector<int> numbers)
    : backends_(std::move(backends)),
      done_by_(backends_.size(), nullptr),
      equality_(names_of(backends_.size(), numbers)) {
  if (!has_threads()) return;
  for (std::size_t device = 0; device < size(); ++device) {
    backend(device).runner().stop_when([this] { return stopped(); });
    threads_.emplace_back([this, device](const std::stop_token& stop) { run(device, stop); });
  }
}

DeviceTeam::~DeviceTeam() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  if (has_threads())
    for (Backend* const one : backends_) one->runner().stop_when({});
}

void DeviceTeam::run(std::size_t device, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    bool worked = false;
    for (std::size_t i = 0; i < work_.size() && !worked; ++i) {
      Work& work = *work_[i];
      done_by_[device] = &work;
      lock.unlock();
      worked = work.work_on(device);
      lock.lock();
      done_by_[device] = nullptr;
      changed_.notify_all();
    }
    if (!worked) changed_.wait_for(lock, stop, look_interval, [] { return false; });
  }
}

void DeviceTeam::add(Work& work) {
  const std::scoped_lock lock(mutex_);
  work_.push_back(&work);
}

void DeviceTeam::remove(Work& work) {
  std::unique_lock lock(mutex_);
  std::erase(work_, &work);
  changed_.wait(lock, [&] { return std::ranges::count(done_by_, &work) == 0; });
}

std::size_t DeviceTeam::first() const {
  const std::scoped_lock lock(mutex_);
  return equality_.first();
}

std::size_t DeviceTeam::taking_part() const {
  const std::scoped_lock lock(mutex_);
  return equality_.taking_part();
}

bool DeviceTeam::may_evaluate(std::size_t device) const {
  const std::scoped_lock lock(mutex_);
  return equality_.may_evaluate(device);
}

void DeviceTeam::count(std::size_t device, bool is_doubtful,
                       const std::shared_ptr<const CompiledPlan>& incumbent, std::optional<double> seconds) {
  const std::scoped_lock lock(mutex_);
  equality_.count(device, is_doubtful);
  if (incumbent == nullptr || !equality_.wants_round()) return;
  common_ = incumbent;
  equality_.begin_round(device == equality_.first() ? seconds : std::nullopt);
}

std::shared_ptr<const CompiledPlan> DeviceTeam::owed(std::size_t device) const {
  const std::scoped_lock lock(mutex_);
  return equality_.owes(device) ? common_ : nullptr;
}

std::vector<std::pair<std::size_t, double>> DeviceTeam::compare(std::size_t device,
                                                                std::optional<double> seconds,
                                                                const std::string& failure) {
  const std::scoped_lock lock(mutex_);
  DeviceEquality::Verdict verdict = equality_.add(device, seconds, failure);
  tell(std::move(verdict.line));
  return std::move(verdict.ratios);
}

bool DeviceTeam::leave_out(std::size_t device, const std::string& why) {
  const std::scoped_lock lock(mutex_);
  if (equality_.taking_part() < 2) return false;
  tell(equality_.leave_out(device, why));
  return true;
}

std::vector<DeviceShare> DeviceTeam::shares() const {
  const std::scoped_lock lock(mutex_);
  return equality_.shares();
}

void DeviceTeam::tell(std::string line) {
  if (!line.empty()) lines_.push_back(std::move(line));
}

std::vector<std::string> DeviceTeam::take_lines() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(lines_, {});
}

}  // namespace tune
