// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iostream>

#include "cli/output/printable_output.hpp"
#include "cli/output/terminal.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

std::atomic<std::int64_t> interrupted_at{0};  ///< milliseconds; 0: not yet
static_assert(std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void end_by(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::int64_t milliseconds_now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

/// `timeout`, and others that signal all processes of a group, send a signal twice at once.
void on_signal(int signal) {
  constexpr std::int64_t one_signal = 200;  // milliseconds
  const std::int64_t now = milliseconds_now();
  std::int64_t first = 0;
  if (!interrupted_at.compare_exchange_strong(first, now) && now > first + one_signal) end_by(signal);
}

void install(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // a database write in progress continues
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup
}

}  // namespace

namespace {

int guards = 0;  ///< alive, one within the other

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  interrupted_at = 0;
  install(on_signal);
}

InterruptGuard::~InterruptGuard() {
  if (--guards == 0) install(end_by);
}

void leave_nothing_unfinished() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_DFL) std::signal(signal, end_by);
  }
}

bool InterruptGuard::interrupted() {
  return interrupted_at != 0;
}

namespace {

constexpr double redraw_interval = 0.1;  // seconds: fast enough for a reader
constexpr double plain_interval = 2;     // seconds between lines in a file
constexpr std::size_t max_history = 512;

std::uint64_t failed(const Progress& progress) {
  std::uint64_t count = 0;
  for (const auto& [phase, failures] : progress.failures) count += failures;
  return count;
}

}  // namespace

TextStyle error_style() {
  return terminal_at(STDERR_FILENO).style;
}

CountDisplay::CountDisplay() : lines_(std::cerr, error_style) {}

bool CountDisplay::show(std::uint64_t steps, std::uint64_t most) {
  const double seconds = watch_.seconds();
  if (seconds >= next_ && terminal_at(STDERR_FILENO).can_rewrite) {
    next_ = seconds + redraw_interval;
    const double million = 1e6;
    lines_.draw({format("counting the configurations: {:.0f} of at most {:.0f} million steps",
                        static_cast<double>(steps) / million, static_cast<double>(most) / million)});
  }
  return !InterruptGuard::interrupted();
}

ProgressDisplay::Mode display_mode(bool quiet, bool verbose) {
  if (quiet) return ProgressDisplay::Mode::quiet;
  if (verbose) return ProgressDisplay::Mode::verbose;
  return terminal_at(STDERR_FILENO).can_rewrite ? ProgressDisplay::Mode::live : ProgressDisplay::Mode::plain;
}

ProgressDisplay::ProgressDisplay(std::ostream& out, Mode mode, double limit, double amount, std::string unit,
                                 Objective objective, std::function<TextStyle()> style)
    : out_(out),
      mode_(mode),
      limit_(limit),
      amount_(amount),
      unit_(std::move(unit)),
      objective_(std::move(objective)),
      lines_(out, std::move(style)) {}

ProgressDisplay::~ProgressDisplay() {
  if (mode_ != Mode::live && !pending_.empty()) show(pending_);
}

void ProgressDisplay::say(const std::string& line) {
  lines_.erase();
  cli::say(line);
}

bool ProgressDisplay::stop_requested() {
  // Asked several times a second while the run waits, also by other threads.
  if (mode_ == Mode::live && (view_.planned > 0 || !view_.phase.empty()) &&
      std::this_thread::get_id() == thread_)
    redraw();
  return InterruptGuard::interrupted();
}

void ProgressDisplay::tell(const Evaluation& evaluation, const Progress& progress) {
  const std::string outcome =
      evaluation.estimate ? "expected " + si(*evaluation.estimate, "s")
      : evaluation.outcome
          ? si(evaluation.outcome->time(), "s")
          : format("{}: {}", to_string(evaluation.outcome.error().phase), evaluation.outcome.error().reason);
  const std::string_view what = evaluation.reused ? "known" : "stored";
  out_ << one_line(format("{} {}: {} [{}]", what, ++told_, outcome, evaluation.configuration.key())) << "\n"
       << std::flush;
  take_best(progress);
  pending_ = line(progress);
}

bool ProgressDisplay::take_best(const Progress& progress) {
  if (!progress.best) return false;
  best_ = progress.best->outcome->time();
  const double value = objective_value(*progress.best, objective_).value_or(0);
  const bool improved = value > 0 && (value_ == 0 || value < value_);
  value_ = value;
  return improved;
}

void ProgressDisplay::on_evaluation(const Evaluation& evaluation, const Progress& progress) {
  if (mode_ == Mode::quiet) return;
  if (mode_ == Mode::verbose) return tell(evaluation, progress);
  const bool improved = take_best(progress);
  if (best_ > 0) history_.push_back(best_);
  if (history_.size() > max_history) {  // every second one
    for (std::size_t i = 0; 2 * i + 1 < history_.size(); ++i) history_[i] = history_[2 * i + 1];
    history_.resize(history_.size() / 2);
  }
  if (mode_ == Mode::live) {
    take_view(progress);
    return redraw();
  }
  pending_ = line(progress);
  const bool tenth = progress.evaluations * 10 >= next_tenth_ * std::max<std::uint64_t>(1, progress.planned);
  if (!improved && !tenth) return;
  if (last_shown_ >= 0 && progress.seconds - last_shown_ < plain_interval) return;
  if (tenth) next_tenth_ = progress.evaluations * 10 / std::max<std::uint64_t>(1, progress.planned) + 1;
  last_shown_ = progress.seconds;
  show(pending_);
}

void ProgressDisplay::on_activity(Activity activity, std::size_t count) {
  if (mode_ != Mode::live) return;
  static constexpr std::array<std::string_view, 4> texts = {"compiling", "computing the reference",
                                                            "checking", "measuring"};  // as Activity
  view_.phase = texts.at(static_cast<std::size_t>(activity));
  if (activity == Activity::compiling)
    view_.phase += format(" {}", count);
  else if (count > 1)
    view_.phase += format(" on {} devices", count);
  redraw();
}

void ProgressDisplay::on_rerank(std::size_t top_k) {
  if (mode_ == Mode::quiet) return;
  const std::string text = format("timing the best {} again, in turns", top_k);
  if (mode_ == Mode::live) {
    view_.phase = format("re-ranking the best {}", top_k);
    view_.seconds_left = view_.rate = 0;
    last_drawn_ = -1;
    return redraw();
  }
  if (!pending_.empty()) show(pending_);
  show(text);
}

void ProgressDisplay::show(const std::string& line) {
  out_ << line << "\n" << std::flush;
  pending_.clear();
}

/// Seconds that the rest of the planned evaluations takes; 0 where that is unknown.
double ProgressDisplay::seconds_left(const Progress& progress) {
  const auto fresh = static_cast<double>(progress.evaluations - progress.reused);
  if (!(progress.seconds > 0) || !(fresh > 0)) return 0;
  const auto planned =
      static_cast<double>(progress.planned - std::min(progress.planned, progress.evaluations));
  const double left = planned * progress.seconds / fresh;
  const double allowed = std::max(0.0, progress.seconds_allowed - progress.seconds_of_call);
  // A budget of time that ends first is shown already.
  return progress.seconds_allowed > 0 && left >= allowed ? 0 : left;
}

std::vector<std::string> ProgressDisplay::best_texts() const {
  std::vector<std::string> texts;
  if (!(best_ > 0)) return texts;
  if (objective_ != Objective::time)
    texts.push_back(format("{} {}", to_string(objective_), objective_.value_text(value_)));
  texts.push_back(si(best_, "s"));
  if (limit_ > 0) texts.push_back(format("{} of the limit", percent_text(limit_ / best_)));
  if (amount_ > 0) texts.push_back(si(amount_ / best_, unit_));
  return texts;
}

void ProgressDisplay::take_view(const Progress& progress) {
  view_.evaluations = progress.evaluations;
  view_.planned = progress.planned;
  view_.failed = failed(progress);
  view_.seconds_allowed = progress.seconds_allowed;
  seconds_of_call_ = progress.seconds_of_call;
  since_view_ = Stopwatch();
  const auto fresh = static_cast<double>(progress.evaluations - progress.reused);
  view_.rate = progress.seconds > 0 ? fresh / progress.seconds : 0;
  view_.seconds_left = seconds_left(progress);
  view_.best = best_texts();
  view_.history = history_;
}

void ProgressDisplay::redraw() {
  const double now = watch_.seconds();
  if (last_drawn_ >= 0 && now - last_drawn_ < redraw_interval) return;
  last_drawn_ = now;
  view_.seconds = seconds_of_call_ + since_view_.seconds();
  lines_.draw(live_lines(view_, lines_.style()));
}

std::string ProgressDisplay::line(const Progress& progress) const {
  std::string text =
      format("{}/{} evaluated, {} failed", progress.evaluations, progress.planned, failed(progress));
  if (progress.seconds_allowed > 0)
    text += " | " + spent_text(progress.seconds_of_call, progress.seconds_allowed);
  const auto fresh = static_cast<double>(progress.evaluations - progress.reused);
  if (progress.seconds > 0 && fresh > 0) {
    text += format(" | {:.1f}/s", fresh / progress.seconds);
    if (const double left = seconds_left(progress); left > 0)
      text += format(", {} left", duration_text(left));
  }
  const std::vector<std::string> best = best_texts();
  return best.empty() ? text : text + " | best " + joined(best);
}

}  // namespace tune::cli
