// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iostream>

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

std::size_t terminal_width() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/// The line as far as it fits, cut between its parts.
std::string cut(const std::string& line, std::size_t width) {
  if (line.size() <= width) return line;
  std::size_t end = 0;
  for (const char* separator : {" | ", ", "})
    if (const std::size_t at = line.rfind(separator, width); at != std::string::npos) end = std::max(end, at);
  return line.substr(0, end == 0 ? width : end);
}

std::uint64_t failed(const Progress& progress) {
  std::uint64_t count = 0;
  for (const auto& [phase, failures] : progress.failures) count += failures;
  return count;
}

}  // namespace

CountDisplay::~CountDisplay() {
  if (open_line_) std::cerr << "\r\x1b[K" << std::flush;
}

bool CountDisplay::show(std::uint64_t steps, std::uint64_t most) {
  const double seconds = watch_.seconds();
  if (seconds >= next_ && isatty(STDERR_FILENO) == 1) {
    next_ = seconds + redraw_interval;
    open_line_ = true;
    const double million = 1e6;
    std::cerr << format("\r\x1b[Kcounting the configurations: {:.0f} of at most {:.0f} million steps",
                        static_cast<double>(steps) / million, static_cast<double>(most) / million)
              << std::flush;
  }
  return !InterruptGuard::interrupted();
}

ProgressDisplay::Mode display_mode(bool quiet, bool verbose) {
  if (quiet) return ProgressDisplay::Mode::quiet;
  if (verbose) return ProgressDisplay::Mode::verbose;
  return isatty(STDERR_FILENO) == 1 ? ProgressDisplay::Mode::live : ProgressDisplay::Mode::plain;
}

ProgressDisplay::ProgressDisplay(std::ostream& out, Mode mode, double limit, double items, std::string item,
                                 Objective objective)
    : out_(out),
      mode_(mode),
      limit_(limit),
      items_(items),
      item_(std::move(item)),
      objective_(std::move(objective)) {}

ProgressDisplay::~ProgressDisplay() {
  if (!pending_.empty()) show(pending_);
  if (open_line_) out_ << "\n" << std::flush;
}

bool ProgressDisplay::stop_requested() {
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
  pending_ = line(progress);
  if (mode_ == Mode::plain) {
    const bool tenth =
        progress.evaluations * 10 >= next_tenth_ * std::max<std::uint64_t>(1, progress.planned);
    if (tenth) next_tenth_ = progress.evaluations * 10 / std::max<std::uint64_t>(1, progress.planned) + 1;
    if (improved || tenth) show(pending_);
    return;
  }
  // A new best waits too: a replay finds hundreds a second.
  if (progress.seconds - last_shown_ < redraw_interval) return;
  last_shown_ = progress.seconds;
  show(pending_);
}

void ProgressDisplay::on_rerank(std::size_t top_k) {
  if (mode_ == Mode::quiet) return;
  if (!pending_.empty()) show(pending_);
  if (open_line_) out_ << "\n";
  open_line_ = false;
  show(format("timing the best {} again, in turns", top_k));
}

void ProgressDisplay::show(const std::string& line) {
  if (mode_ == Mode::live)
    out_ << "\r\x1b[K" << cut(line, terminal_width() - 1) << std::flush;
  else
    out_ << line << "\n" << std::flush;
  open_line_ = mode_ == Mode::live;
  pending_.clear();
}

/// The most important parts come first: a narrow terminal cuts the end.
std::string ProgressDisplay::line(const Progress& progress) const {
  std::string text =
      format("{}/{} evaluated, {} failed", progress.evaluations, progress.planned, failed(progress));
  const bool is_limited = progress.seconds_allowed > 0;
  if (is_limited)
    text += format(" | {} of {}", duration_text(progress.seconds_of_call),
                   duration_text(progress.seconds_allowed));
  const auto fresh = static_cast<double>(progress.evaluations - progress.reused);
  if (progress.seconds > 0 && fresh > 0) {
    text += format(" | {:.1f}/s", fresh / progress.seconds);
    const auto planned =
        static_cast<double>(progress.planned - std::min(progress.planned, progress.evaluations));
    const double left = planned * progress.seconds / fresh;
    const double allowed = std::max(0.0, progress.seconds_allowed - progress.seconds_of_call);
    // A budget of time that ends first is shown already.
    if (left > 0 && (!is_limited || left < allowed)) text += format(", {} left", duration_text(left));
  }
  if (best_ > 0) {
    text += " | best ";
    if (objective_ != Objective::time)
      text += format("{} {}, ", to_string(objective_), objective_.value_text(value_));
    text += si(best_, "s");
    if (limit_ > 0) text += format(", {} of the limit", percent_text(limit_ / best_));
    if (items_ > 0) text += format(", {}", si(items_ / best_, item_ + "s/s"));
  }
  return text;
}

}  // namespace tune::cli
