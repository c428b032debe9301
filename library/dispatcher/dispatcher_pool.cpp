// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/dispatcher_pool.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "library/tuner/convert.hpp"
#include "library/tuner/problem.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

template<class Future>
bool is_ready(const Future& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

Dispatchers::Pool::Pool(const Problem& problem, const DispatchOptions& options, std::size_t most,
                        std::shared_ptr<CheckingDevice> device, OpenStreams streams)
    : problem_(problem),
      options_(options),
      most_(std::max<std::size_t>(most, 1)),
      device_(std::move(device)),
      streams_(std::move(streams)),
      made_(made_described(problem.spec())),
      with_sizes_(*made_, instance_at(made_->info(), {}), true) {}

Dispatchers::Pool::~Pool() {
  if (leaving_.joinable()) leaving_.join();
}

/// Returns the engine that was used last and is ready.
std::shared_ptr<Dispatcher::Engine> Dispatchers::Pool::last_used() const {
  const std::lock_guard lock(mutex_);
  const Held* last = nullptr;
  for (const auto& [key, held] : held_)
    if (is_ready(held.engine) && (last == nullptr || held.used > last->used)) last = &held;
  return last == nullptr ? nullptr : last->engine.get();
}

/// Fulfils the promise under the lock: what is set afterwards finds the engine among those that are ready.
void Dispatchers::Pool::make(const Sizes& sizes, std::promise<std::shared_ptr<Engine>>& promise) {
  std::optional<tune::Evaluation> checked;
  if (const auto other = last_used()) checked = other->checked_best();
  const bool paused = [this] {
    const std::lock_guard lock(mutex_);
    return paused_;
  }();
  auto engine = std::make_shared<Engine>(problem_, sizes, options_, device_, streams_(), checked, paused);
  const std::lock_guard lock(mutex_);
  if (paused_ != paused) engine->pause(paused_);
  for (const auto& [key, contents] : variables_)
    engine->set_variable_of(key.first, contents.type.c_str(), contents.bytes.data(), contents.bytes.size());
  promise.set_value(std::move(engine));
}

/// Ends the one that was not used for longest on a thread of its own: it waits for a check and the device.
void Dispatchers::Pool::drop_oldest(const std::string& but) {
  const std::lock_guard lock(mutex_);
  if (held_.size() <= most_) return;
  auto found = held_.end();
  for (auto one = held_.begin(); one != held_.end(); ++one)
    if (one->first != but && is_ready(one->second.engine) &&
        (found == held_.end() || one->second.used < found->second.used))
      found = one;
  if (found == held_.end()) return;
  std::shared_ptr<Engine> oldest = found->second.engine.get();
  held_.erase(found);
  // The thread before it is joined there, not in a call of the program.
  leaving_ =
      std::jthread([oldest = std::move(oldest), before = std::move(leaving_)]() mutable { oldest.reset(); });
}

std::shared_ptr<Dispatcher::Engine> Dispatchers::Pool::engine_at(const Sizes& sizes) {
  const std::string key = instance_at(made_->info(), sizes).key();
  std::promise<std::shared_ptr<Engine>> promise;
  std::shared_future<std::shared_ptr<Engine>> future;
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [found, inserted] = held_.try_emplace(key);
    if (inserted) found->second.engine = promise.get_future().share();
    found->second.used = ++uses_;
    future = found->second.engine;
    is_new = inserted;
  }
  if (!is_new) return future.get();
  try {
    make(sizes, promise);
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::lock_guard lock(mutex_);
    held_.erase(key);  // the next call tries again
  }
  drop_oldest(key);
  return future.get();
}

void Dispatchers::Pool::launch(void* stream, const Sizes* sizes, const Dispatcher::Argument* arguments,
                               std::size_t count) {
  if (sizes != nullptr) return engine_at(*sizes)->launch(stream, arguments, count);
  std::vector<Dispatcher::Argument> others;
  engine_of(arguments, count, others)->launch(stream, others.data(), others.size());
}

bool Dispatchers::Pool::try_now(void* stream, const Sizes* sizes, const Dispatcher::Argument* arguments,
                                std::size_t count) {
  if (sizes != nullptr) return engine_at(*sizes)->try_now(stream, arguments, count);
  std::vector<Dispatcher::Argument> others;
  return engine_of(arguments, count, others)->try_now(stream, others.data(), others.size());
}

/// Returns the engine at the sizes that the arguments have, and the other arguments.
std::shared_ptr<Dispatcher::Engine> Dispatchers::Pool::engine_of(const Dispatcher::Argument* arguments,
                                                                 std::size_t count,
                                                                 std::vector<Dispatcher::Argument>& others) {
  with_sizes_.check(arguments, count);
  const Sizes given = with_sizes_.take_sizes(arguments, others);
  for (const ExtentInfo& extent : made_->info().extents)
    if (!given.has(extent.name))
      throw UsageError(
          format("{}: launch: no argument has the size '{}': declare a scalar that is '{}', or call "
                 "launch_at(stream, sizes, ...)",
                 made_->info().name, extent.name, extent.name));
  return engine_at(given);
}

std::vector<std::shared_ptr<Dispatcher::Engine>> Dispatchers::Pool::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Engine>> engines;
  for (const auto& [key, held] : held_)
    if (is_ready(held.engine)) engines.push_back(held.engine.get());
  return engines;
}

void Dispatchers::Pool::set_variable(const std::string& name, const char* type, const void* data,
                                     std::size_t bytes) {
  CallVariables(*made_, instance_at(made_->info(), {})).check(name, type, data, bytes);
  {
    const std::lock_guard lock(mutex_);
    const auto* const first = static_cast<const std::byte*>(data);
    variables_.insert_or_assign({name, bytes}, Contents{type, {first, first + bytes}});
  }
  for (const auto& engine : all()) engine->set_variable_of(name, type, data, bytes);
}

void Dispatchers::Pool::pause(bool paused) {
  {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
  }
  for (const auto& engine : all()) engine->pause(paused);
}

void Dispatchers::Pool::finish() {
  for (const auto& engine : all()) engine->finish();
}

DispatchState Dispatchers::Pool::state(const Sizes& sizes) const {
  const std::string key = instance_at(made_->info(), sizes).key();
  std::shared_ptr<Engine> engine;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(key);
    if (found == held_.end() || !is_ready(found->second.engine)) return {};
    engine = found->second.engine.get();
  }
  return engine->state();
}

std::size_t Dispatchers::Pool::count() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

std::unique_ptr<Dispatchers::Pool> open_pool(const Problem& problem, const DispatchOptions& options,
                                             std::size_t most) {
  return guarded([&] {
    check_launchable(options);
    auto device = std::make_shared<CheckingDevice>(
        open_gpu(options.device, options.timeout, options.in_process, options.installed));
    return std::make_unique<Dispatchers::Pool>(problem, options, most, std::move(device),
                                               [device = options.device] { return open_streams(device); });
  });
}

Dispatchers::Dispatchers(const Problem& problem, const DispatchOptions& options, std::size_t most)
    : pool_(open_pool(problem, options, most)) {}
Dispatchers::Dispatchers(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
Dispatchers::Dispatchers(Dispatchers&&) noexcept = default;
Dispatchers& Dispatchers::operator=(Dispatchers&& other) noexcept {
  std::swap(pool_, other.pool_);
  return *this;
}
Dispatchers::~Dispatchers() {
  end_unless_forked(pool_);
}

void Dispatchers::launch_all(CUstream_st* stream, const Sizes* sizes, const Dispatcher::Argument* arguments,
                             std::size_t count) {
  guarded([&] { pool_->launch(stream, sizes, arguments, count); });
}

bool Dispatchers::try_all(CUstream_st* stream, const Sizes* sizes, const Dispatcher::Argument* arguments,
                          std::size_t count) {
  return guarded([&] { return pool_->try_now(stream, sizes, arguments, count); });
}

void Dispatchers::set_symbol(const std::string& name, const char* type, const void* data, std::size_t bytes) {
  guarded([&] { pool_->set_variable(name, type, data, bytes); });
}

void Dispatchers::pause() {
  pool_->pause(true);
}

void Dispatchers::resume() {
  pool_->pause(false);
}

void Dispatchers::finish() {
  guarded([&] { pool_->finish(); });
}

DispatchState Dispatchers::state(const Sizes& sizes) const {
  return guarded([&] { return pool_->state(sizes); });
}

std::size_t Dispatchers::count() const {
  return pool_->count();
}

}  // namespace tune::api
