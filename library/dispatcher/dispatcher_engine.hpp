// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <tune/dispatcher.hpp>
#include <vector>

#include "library/dispatcher/call_arguments.hpp"
#include "library/dispatcher/candidate_maker.hpp"
#include "library/dispatcher/capture.hpp"
#include "library/dispatcher/online_record.hpp"
#include "library/dispatcher/policy.hpp"
#include "library/tuner/maker.hpp"
#include "search/ask_tell/strategy.hpp"

namespace tune::api {

/// The inside of a dispatcher: calls on the caller's threads under one lock, everything that takes time
/// (compiling, checking, the database, the search) on a thread of its own.
class Dispatcher::Engine {
 public:
  /// `backend` compiles and checks candidates, `runner` launches them for the caller. Makes the first one
  /// ready; throws tune::Error where none can be made.
  /// `checked`: an evaluation of another size's engine to begin with, if it is valid here.
  Engine(const Problem& problem, const Sizes& sizes, const DispatchOptions& options,
         std::shared_ptr<CheckingDevice> device, std::unique_ptr<StreamRunner> runner,
         const std::optional<tune::Evaluation>& checked = {}, bool paused = false);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  void launch(void* stream, const Argument* arguments, std::size_t count);
  bool try_now(void* stream, const Argument* arguments, std::size_t count);
  void pause(bool paused);
  DispatchState state() const;
  void finish();
  /// Sets the contents of a variable for all later launches.
  void set_variable(const std::string& name, const char* type, const void* data, std::size_t bytes);
  /// Does so where the variable takes so many bytes at this size.
  void set_variable_of(const std::string& name, const char* type, const void* data, std::size_t bytes);
  /// Returns the best so far, which was checked, without times.
  tune::Evaluation checked_best() const;

  const Maker maker = {};

 private:
  struct Timed {
    std::uint64_t ticket;
    std::uint64_t device_work;  ///< when it was launched
  };

  RunRecord make_record(const DispatchOptions& options) const;
  void make_first(const std::optional<tune::Evaluation>& checked);
  void make_strategy(const DispatchOptions& options);
  bool capture_call(void* stream, const std::vector<void*>& given);
  void fill_variables(PreparedCandidate& candidate, void* stream);
  void poll();
  void launch_call(const online::Call& call, void* stream, const std::vector<void*>& given);

  // These run on the thread in the background.
  void run_thread(const std::stop_token& stop);
  bool wants() const { return !closed_ && policy_.waiting() < 2 && (!paused_ || trying_ > 0); }
  bool rounds_of_trial(std::unique_lock<std::mutex>& lock, void* stream, const std::vector<void*>& given);
  void begin_again();
  bool supply(const std::stop_token& stop, Turns::Waiting waiting);
  void take(const std::vector<online::CallVerdict>& verdicts);
  void keep_first();
  void keep_best();
  tune::Evaluation evaluation_of(const online::CallVerdict& verdict);

  std::shared_ptr<const described::DescribedProblem> made_;
  const described::DescribedProblem& problem_;
  Instance instance_;
  std::shared_ptr<CheckingDevice> device_;
  std::unique_ptr<StreamRunner> runner_;
  search::SearchSpace space_;
  OnlineRecord record_;
  CandidateMaker maker_;
  std::unique_ptr<search::Strategy> strategy_;
  std::vector<search::Configuration> suggested_;  ///< stored elsewhere; tried before what the strategy asks
  std::set<std::string> known_;                   ///< keys of configurations that are not tried again
  std::size_t left_ = 0;                          ///< candidates that may still be made
  std::size_t most_ = 0;                          ///< candidates of a search
  std::vector<std::optional<double>> costs_;      ///< by the policy's numbers
  std::set<online::CandidateNumber> told_;        ///< whose results the strategy knows
  bool first_kept_ = false, best_kept_ = false;
  const CallArguments arguments_;

  mutable std::mutex mutex_;              ///< guards the members below
  std::condition_variable_any ready_;     ///< for the thread
  std::condition_variable_any supplied_;  ///< for try_now
  online::Policy policy_;
  CallVariables variables_;
  std::deque<PreparedCandidate> candidates_;  ///< by the policy's numbers; grows only
  std::optional<Timed> timed_;
  bool closed_ = false;
  bool paused_ = false;
  std::size_t trying_ = 0;  ///< calls of try_now under way
  std::size_t retuned_ = 0;
  std::optional<CaptureRequest> capture_;  ///< until it was tried
  bool stored_ = false;                    ///< the results are stored, and the thread has ended
  std::size_t tried_ = 0, failed_ = 0;
  std::string notice_;
  std::jthread thread_;
};

/// Throws UsageError for the device `emulator`.
void check_launchable(const DispatchOptions& options);
/// Opens the runner for streams of that GPU. Throws tune::Error where there is none.
std::unique_ptr<StreamRunner> open_streams(const std::string& device);

}  // namespace tune::api
