// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/dispatcher_engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "library/run/tuning_run.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/problem.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/base/units.hpp"

namespace tune::api {
namespace {

online::TrialLimits limits_of(const DispatchOptions& options) {
  if (!(options.slowdown >= 0)) throw UsageError("slowdown: not a share of 0 or more");
  static_cast<void>(run::strategy_named(options.strategy));
  const bool tries = options.slowdown > 0 && options.candidates > 0;
  return {.slowdown = options.slowdown,
          .candidates = options.candidates,
          .watch_every = tries && options.follow_drift ? online::TrialLimits{}.watch_every : 0};
}

}  // namespace

Dispatcher::Engine::Engine(const Problem& problem, const Sizes& sizes, const DispatchOptions& options,
                           std::shared_ptr<CheckingDevice> device, std::unique_ptr<StreamRunner> runner,
                           const std::optional<tune::Evaluation>& checked, bool paused)
    : made_(made_described(problem.spec())),
      problem_(*made_),
      instance_(instance_at(problem_.info(), sizes)),
      device_(std::move(device)),
      runner_(std::move(runner)),
      space_(problem_.valid_space(instance_, device_->backend->properties(), options.where)),
      record_(options.database, make_record(options)),
      maker_(problem_, instance_, *device_, *runner_),
      arguments_(problem_, instance_),
      policy_(limits_of(options)),
      variables_(problem_, instance_),
      paused_(paused) {
  policy_.pause(paused);
  capture_ = capture_request(problem_.info().name);
  make_first(checked);
  if (options.slowdown > 0 && options.candidates > 0)
    make_strategy(options);
  else
    closed_ = true;
  notice_ = record_.notice();
  if (closed_) policy_.close();
  thread_ = std::jthread([this](const std::stop_token& stop) { run_thread(stop); });
}

Dispatcher::Engine::~Engine() {
  finish();
}

RunRecord Dispatcher::Engine::make_record(const DispatchOptions& options) const {
  RunRecord record;
  run::describe_workload(record, problem_, instance_, space_, *device_->backend,
                         described::DescribedSources(problem_), CacheState::warm);
  record.machine = device_->machine_state();
  record.space_size = space_.size();
  record.options.strategy = "online";
  record.options.timeout = options.timeout;
  record.options.command_line = "tune::Dispatcher";
  return record;
}

/// Begins with the best stored configuration, else the default: the first of these that passes its checks.
void Dispatcher::Engine::make_first(const std::optional<tune::Evaluation>& checked) {
  std::vector<search::Configuration> starts = record_.starts(space_);
  if (checked && space_.find(checked->configuration)) {
    // Ready at once where the code is the same; what is stored for this size is tried first.
    if (tune::Result<PreparedCandidate> ready =
            maker_.make(checked->configuration, Turns::Waiting::call, &*checked)) {
      known_.insert(checked->configuration.key());
      candidates_.push_back(std::move(*ready));
      suggested_ = std::move(starts);
      return;
    }
  }
  starts.push_back(space_.at(*space_.default_configuration()));
  std::string reason;
  for (const search::Configuration& configuration : starts) {
    if (!known_.insert(configuration.key()).second) continue;
    tune::Result<PreparedCandidate> ready = maker_.make(configuration, Turns::Waiting::call);
    if (ready) {
      candidates_.push_back(std::move(*ready));
      return;
    }
    reason = format("{}: {}, {}: {}", configuration.to_string(), tune::to_string(ready.error().phase),
                    ready.error().reason, ready.error().detail);
  }
  throw tune::Error(
      format("{} {}: no configuration could be launched: {}", problem_.info().name, instance_.key(), reason));
}

/// The strategy is told the results of earlier processes, which count as candidates. Failures of tuning runs
/// that would come again are not tried again.
void Dispatcher::Engine::make_strategy(const DispatchOptions& options) {
  search::SearchTask task{space_, options.seed};
  const std::vector<tune::Evaluation> tuned = record_.known(CacheState::cold);
  search::RelatedRecord related;
  for (const tune::Evaluation& evaluation : tuned) {
    const auto id = space_.find(evaluation.configuration);
    const auto cost = objective_value(evaluation, tune::Objective::time);
    if (id && cost) related.observations.push_back({*id, cost});
  }
  if (!related.observations.empty()) task.related.push_back(std::move(related));
  strategy_ = run::strategy_named(options.strategy).make(task);
  left_ = most_ = options.candidates;
  const std::string first = candidates_.front().configuration.key();
  const auto tell = [&](const tune::Evaluation& evaluation) {
    known_.insert(evaluation.configuration.key());
    const auto id = space_.find(evaluation.configuration);
    if (!id) return;
    const search::Observation observation{*id, objective_value(evaluation, tune::Objective::time)};
    strategy_->tell({&observation, 1});
  };
  for (const tune::Evaluation& evaluation : record_.known(CacheState::warm)) {
    tell(evaluation);
    if (evaluation.configuration.key() != first && left_ > 0) --left_;
  }
  for (const tune::Evaluation& evaluation : tuned)
    if (!evaluation.outcome) tell(evaluation);
}

/// Takes the time of the timed call under way, if it has ended.
void Dispatcher::Engine::poll() {
  if (!timed_) return;
  const tune::Result<std::optional<double>> elapsed = runner_->elapsed(timed_->ticket);
  if (!elapsed) throw tune::Error(format("{}: {}", elapsed.error().reason, elapsed.error().detail));
  if (!*elapsed) return;
  const bool disturbed = timed_->device_work % 2 != 0 || timed_->device_work != maker_.device_work();
  policy_.ended(timed_->ticket, *elapsed, disturbed);
  timed_.reset();
}

/// Copies what the program has set since the candidate ran last.
void Dispatcher::Engine::fill_variables(PreparedCandidate& candidate, void* stream) {
  const std::vector<CallVariables::Variable>& all = variables_.all();
  candidate.versions.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (candidate.versions[i] == all[i].version) continue;
    runner_->set_variable(*candidate.loaded, stream, all[i].symbol, all[i].contents);
    candidate.versions[i] = all[i].version;
  }
}

void Dispatcher::Engine::set_variable(const std::string& name, const char* type, const void* data,
                                      std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  variables_.set(name, type, data, bytes);
}

void Dispatcher::Engine::set_variable_of(const std::string& name, const char* type, const void* data,
                                         std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (variables_.takes(name, bytes)) variables_.set(name, type, data, bytes);
}

tune::Evaluation Dispatcher::Engine::checked_best() const {
  const std::lock_guard lock(mutex_);
  return candidates_[policy_.best()].evaluation;
}

void Dispatcher::Engine::launch_call(const online::Call& call, void* stream,
                                     const std::vector<void*>& given) {
  PreparedCandidate& candidate = candidates_[call.candidate];
  fill_variables(candidate, stream);
  const tune::Result<void> launched =
      runner_->launch(*candidate.loaded, stream, candidate.arguments(given), call.timed ? call.ticket : 0);
  if (launched) {
    if (call.timed) timed_ = Timed{call.ticket, maker_.device_work()};
    return;
  }
  if (call.candidate == policy_.best())
    throw tune::Error(
        format("{}: {}: {}", problem_.info().name, launched.error().reason, launched.error().detail));
  // No launch was enqueued: the best configuration serves this call.
  candidate.evaluation.outcome = tl::unexpected(launched.error());
  policy_.failed(call.candidate);
  launch_call({policy_.best(), false, 0}, stream, given);
}

/// Launches the best and saves the call; a call that cannot be saved is one line for the user. Returns false
/// where nothing was launched.
bool Dispatcher::Engine::capture_call(void* stream, const std::vector<void*>& given) {
  const std::filesystem::path folder = std::exchange(capture_, std::nullopt)->folder;
  const auto say = [&](const std::string& what) {
    notice_ = format("{} {} {}", problem_.info().name, instance_.key(), what);
    std::fprintf(stderr, "tune: %s\n", notice_.c_str());
  };
  std::optional<Capture> capture;
  const Capture::Source call{problem_, instance_, space_, candidates_[policy_.best()].configuration,
                             *runner_, stream,    given,  variables_};
  try {
    capture.emplace(call, folder);
  } catch (const tune::Error& error) {
    say(format("is not captured: {}", error.what()));
    return false;
  }
  launch_call(policy_.plain(), stream, given);
  try {
    const std::filesystem::path file = capture->complete();
    for (const std::string& line : capture->left_out())
      std::fprintf(stderr, "tune: %s: %s\n", problem_.info().name.c_str(), line.c_str());
    say(format("is captured with {} of data: tune --problem {}",
               bytes_text(static_cast<double>(capture->bytes())), file.string()));
  } catch (const tune::Error& error) {
    say(format("is not captured: {}", error.what()));
  }
  return true;
}

void Dispatcher::Engine::launch(void* stream, const Argument* arguments, std::size_t count) {
  arguments_.check(arguments, count);
  std::vector<void*> given(count);
  for (std::size_t i = 0; i < count; ++i) given[i] = const_cast<void*>(arguments[i].value);
  {
    const std::lock_guard lock(mutex_);
    // While a graph is captured no call is timed, and the driver must not be asked for times.
    const bool timed = runner_->can_time(stream);
    if (timed) poll();
    if (!timed || !capture_ || policy_.calls() + 1 < capture_->call || !capture_call(stream, given))
      launch_call(timed ? policy_.next() : policy_.plain(), stream, given);
    if (!policy_.has_verdicts() && !wants() && !policy_.drifted()) return;
  }
  ready_.notify_one();
}

void Dispatcher::Engine::pause(bool paused) {
  {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    policy_.pause(paused);
  }
  ready_.notify_one();
}

/// Launches until a candidate is decided; returns false where none is left.
bool Dispatcher::Engine::rounds_of_trial(std::unique_lock<std::mutex>& lock, void* stream,
                                         const std::vector<void*>& given) {
  constexpr std::chrono::microseconds between_looks(20);
  const std::size_t before = policy_.decided();
  while (policy_.decided() == before) {
    poll();
    if (policy_.decided() != before) break;
    if (const std::optional<online::Call> call = policy_.next_of_trial()) {
      launch_call(*call, stream, given);
    } else if (timed_) {
      lock.unlock();
      std::this_thread::sleep_for(between_looks);
      lock.lock();
    } else {
      ready_.notify_one();
      supplied_.wait(lock, [&] { return closed_ || policy_.waiting() > 0 || policy_.decided() != before; });
      if (policy_.waiting() == 0 && policy_.decided() == before) return false;
    }
  }
  return true;
}

bool Dispatcher::Engine::try_now(void* stream, const Argument* arguments, std::size_t count) {
  arguments_.check(arguments, count);
  std::vector<void*> given(count);
  for (std::size_t i = 0; i < count; ++i) given[i] = const_cast<void*>(arguments[i].value);
  bool tried = false;
  {
    std::unique_lock lock(mutex_);
    if (!runner_->can_time(stream))
      throw UsageError(format("{}: try_now: the stream is recorded into a graph, which takes no times",
                              problem_.info().name));
    ++trying_;
    try {
      tried = rounds_of_trial(lock, stream, given);
    } catch (...) {
      --trying_;
      throw;
    }
    --trying_;
  }
  ready_.notify_one();
  return tried;
}

DispatchState Dispatcher::Engine::state() const {
  const std::lock_guard lock(mutex_);
  DispatchState state;
  state.settled = policy_.settled() && stored_;
  state.configuration = to_values(candidates_[policy_.best()].configuration);
  state.tried = tried_;
  state.failed = failed_;
  state.calls = policy_.calls();
  state.seconds = policy_.seconds();
  state.lost = policy_.lost();
  state.best_seconds = policy_.reference();
  state.paused = paused_;
  state.retuned = retuned_;
  state.notice = notice_;
  return state;
}

void Dispatcher::Engine::run_thread(const std::stop_token& stop) {
  const StopScope scope([&stop] { return stop.stop_requested(); });
  try {
    while (true) {
      std::vector<online::CallVerdict> verdicts;
      bool wanted = false, settled = false;
      Turns::Waiting waiting = Turns::Waiting::background;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, stop, [&] {
          return policy_.has_verdicts() || wants() || (policy_.settled() && !stored_) || policy_.drifted();
        });
        if (stop.stop_requested()) return;
        verdicts = policy_.take_verdicts();
        wanted = wants();
        if (trying_ > 0) waiting = Turns::Waiting::call;
        settled = policy_.settled();
      }
      take(verdicts);
      if (settled) {
        keep_best();
        const std::lock_guard lock(mutex_);
        stored_ = true;
        if (policy_.drifted()) begin_again();
        continue;
      }
      if (wanted && !supply(stop, waiting)) {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        policy_.close();
        supplied_.notify_all();
      }
    }
  } catch (const std::exception& error) {
    if (stop.stop_requested()) return;  // a reference was not finished
    // The program continues with the best so far.
    const std::lock_guard lock(mutex_);
    notice_ = format("no further configuration is tried: {}", error.what());
    closed_ = stored_ = true;
    policy_.stop();
    supplied_.notify_all();
  }
}

/// After a drift it tries the best known configurations again, and as many new ones as at the start.
void Dispatcher::Engine::begin_again() {
  constexpr std::size_t tried_again = 8;
  std::vector<online::CandidateNumber> again;
  for (online::CandidateNumber i = 0; i < candidates_.size(); ++i)
    if (i != policy_.best() && candidates_[i].evaluation.outcome) again.push_back(i);
  costs_.resize(candidates_.size());
  // The first one has no cost, and goes first: it was the best of an earlier process, or the default.
  std::ranges::stable_sort(again, {}, [this](online::CandidateNumber i) { return costs_[i].value_or(0); });
  if (again.size() > tried_again) again.resize(tried_again);
  policy_.reopen(again);
  left_ = most_;
  closed_ = stored_ = best_kept_ = false;
  ++retuned_;
}

/// Makes one more candidate ready, unless none is left.
bool Dispatcher::Engine::supply(const std::stop_token& stop, Turns::Waiting waiting) {
  while (!stop.stop_requested() && left_ > 0) {
    std::vector<search::ConfigurationId> asked;
    if (suggested_.empty()) {
      asked = strategy_->ask(1);
    } else {
      asked.push_back(*space_.find(suggested_.front()));
      suggested_.erase(suggested_.begin());
    }
    if (asked.empty()) return false;
    const search::Configuration configuration = space_.at(asked.front());
    if (!known_.insert(configuration.key()).second) continue;
    tune::Result<PreparedCandidate> ready = maker_.make(configuration, waiting);
    if (ready) {
      --left_;
      const std::lock_guard lock(mutex_);
      candidates_.push_back(std::move(*ready));
      policy_.add();
      supplied_.notify_all();
      return true;
    }
    const search::Observation observation{asked.front(), std::nullopt};
    strategy_->tell({&observation, 1});
    if (ready.error().reason == "same code") continue;
    --left_;
    tune::Evaluation failure;
    failure.configuration = configuration;
    failure.outcome = tl::unexpected(ready.error());
    record_.record(failure);
    const std::lock_guard lock(mutex_);
    ++failed_;
    notice_ = record_.notice();
  }
  return stop.stop_requested();
}

tune::Evaluation Dispatcher::Engine::evaluation_of(const online::CallVerdict& verdict) {
  const std::lock_guard lock(mutex_);
  tune::Evaluation evaluation = candidates_[verdict.candidate].evaluation;
  if (!evaluation.outcome || !verdict.cost || verdict.ratios.empty()) return evaluation;
  // Times are as if all had been taken beside the first best: a slower device slowed both.
  const double scale = *verdict.cost / median(verdict.ratios);
  for (const double ratio : verdict.ratios) evaluation.outcome->samples.push_back(ratio * scale);
  return evaluation;
}

void Dispatcher::Engine::take(const std::vector<online::CallVerdict>& verdicts) {
  for (const online::CallVerdict& verdict : verdicts) {
    keep_first();
    const tune::Evaluation evaluation = evaluation_of(verdict);
    record_.record(evaluation);
    costs_.resize(std::max(costs_.size(), verdict.candidate + 1));
    costs_[verdict.candidate] = verdict.cost;
    // What is tried again after a drift is known to the strategy.
    if (told_.insert(verdict.candidate).second) {
      const search::Observation observation{*space_.find(evaluation.configuration), verdict.cost};
      strategy_->tell({&observation, 1});
    }
    const std::lock_guard lock(mutex_);
    ++(evaluation.outcome ? tried_ : failed_);
    notice_ = record_.notice();
  }
}

/// Records the first configuration, once it was timed.
void Dispatcher::Engine::keep_first() {
  if (first_kept_) return;
  tune::Evaluation evaluation;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<double>& samples =
        policy_.first_samples().empty() ? policy_.best_samples() : policy_.first_samples();
    if (samples.empty()) return;
    evaluation = candidates_.front().evaluation;
    evaluation.outcome->samples = samples;
  }
  first_kept_ = true;
  record_.record(evaluation);
}

void Dispatcher::Engine::keep_best() {
  if (best_kept_) return;
  keep_first();
  std::vector<double> samples;
  search::Configuration best;
  bool settled = false;
  {
    const std::lock_guard lock(mutex_);
    samples = policy_.best_samples();
    best = candidates_[policy_.best()].configuration;
    settled = policy_.settled();
  }
  if (!first_kept_ || samples.empty()) return;
  best_kept_ = true;
  record_.record_best(best, samples);
  record_.end(settled ? RunEnd::exhausted : RunEnd::stopped);
}

void Dispatcher::Engine::finish() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  std::vector<online::CallVerdict> verdicts;
  {
    const std::lock_guard lock(mutex_);
    verdicts = policy_.take_verdicts();
  }
  if (strategy_ != nullptr) take(verdicts);
  keep_best();
  const std::lock_guard lock(mutex_);
  closed_ = stored_ = true;
  policy_.stop();
  timed_.reset();
  supplied_.notify_all();
  notice_ = record_.notice().empty() ? notice_ : record_.notice();
}

void check_launchable(const DispatchOptions& options) {
  if (options.device == "emulator")
    throw UsageError("a Dispatcher launches on a GPU; the emulator checks a problem with Tuner::run");
}

Dispatcher::Dispatcher(const Problem& problem, const Sizes& sizes, const DispatchOptions& options)
    : engine_(guarded([&] {
        check_launchable(options);
        auto device = std::make_shared<CheckingDevice>(
            open_gpu(options.device, options.timeout, options.in_process, options.installed));
        return std::make_unique<Engine>(problem, sizes, options, std::move(device),
                                        open_streams(options.device));
      })) {}
Dispatcher::Dispatcher(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Dispatcher::Dispatcher(Dispatcher&&) noexcept = default;
Dispatcher& Dispatcher::operator=(Dispatcher&& other) noexcept {
  std::swap(engine_, other.engine_);
  return *this;
}
Dispatcher::~Dispatcher() {
  end_unless_forked(engine_);
}

void Dispatcher::launch_all(CUstream_st* stream, const Argument* arguments, std::size_t count) {
  guarded([&] { engine_->launch(stream, arguments, count); });
}

bool Dispatcher::try_all(CUstream_st* stream, const Argument* arguments, std::size_t count) {
  return guarded([&] { return engine_->try_now(stream, arguments, count); });
}

void Dispatcher::set_symbol(const std::string& name, const char* type, const void* data, std::size_t bytes) {
  guarded([&] { engine_->set_variable(name, type, data, bytes); });
}

void Dispatcher::pause() {
  engine_->pause(true);
}

void Dispatcher::resume() {
  engine_->pause(false);
}

DispatchState Dispatcher::state() const {
  return engine_->state();
}

void Dispatcher::finish() {
  guarded([&] { engine_->finish(); });
}

}  // namespace tune::api
