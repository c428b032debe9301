// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/host/command_runner.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>

#include "tuner/backends/host/command_result.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"

namespace tune::host {
namespace {

constexpr std::size_t kept_output = 16 << 20;  ///< of which results are read
constexpr std::size_t shown_output = 2000;     ///< stored with a failure

/// Returns the end of what the command wrote, for a failure.
std::string end_of(const ProgramResult& ended) {
  std::string text;
  for (const std::string* const part : {&ended.output, &ended.errors}) {
    const std::size_t end = part->find_last_not_of(" \t\r\n");
    if (end == std::string::npos) continue;
    const std::size_t begin = end + 1 > shown_output ? end + 1 - shown_output : 0;
    text += (text.empty() ? "" : "\n") + part->substr(begin, end + 1 - begin);
  }
  return text.empty() ? "it printed nothing" : printable(text);
}

/// Runs a command in the folder. Nothing where there is no such program.
std::optional<ProgramResult> started(CommandPlan::Words command, const CommandPlan& plan,
                                     const std::filesystem::path& folder, const StepLimits& limits) {
  if (command.front().find('/') != std::string::npos)
    command.front() = (folder / command.front()).lexically_normal().string();
  std::error_code error;
  if (find_program(command.front()).empty() || std::filesystem::is_directory(command.front(), error))
    return std::nullopt;
  return run_program(command, {.folder = folder,
                               .seconds = limits.seconds,
                               .stop = limits.stop,
                               .environment = plan.environment,
                               .output_limit = kept_output,
                               .separate_errors = true,
                               .measure = true});
}

tl::unexpected<Failure> not_there(const CommandPlan::Words& command) {
  return fail(Phase::launch, "no such command",
              format("cannot start '{}': check that it exists and is executable", command.front()));
}

tl::unexpected<Failure> was_stopped(const CommandPlan::Words& command) {
  return fail(Phase::crash, std::string(run_ended), format("while '{}' ran", to_text(command)));
}

tl::unexpected<Failure> too_long(const CommandPlan::Words& command, const ProgramResult& ended,
                                 const StepLimits& limits, std::string reason) {
  Failure failure{
      Phase::timeout, std::move(reason),
      format("'{}' had not ended after {} s; {}", to_text(command), limits.seconds, end_of(ended)),
      limits.seconds};
  return tl::unexpected(std::move(failure));
}

std::string how_it_ended(const CommandPlan::Words& command, const ProgramResult& ended) {
  return format("'{}' {}; {}", to_text(command),
                ended.signal != 0
                    ? format("was ended by signal {} ({})", ended.signal, strsignal(ended.signal))
                    : format("ended with status {}", ended.status),
                end_of(ended));
}

bool reads_status(const CommandPlan& plan) {
  return std::ranges::any_of(
      plan.results, [](const auto& one) { return one.second.kind == ResultSource::Kind::exit_code; });
}

}  // namespace

Result<void> copy_files(const CommandPlan& plan, const std::filesystem::path& to) {
  using Options = std::filesystem::copy_options;
  for (const std::filesystem::path& file : plan.files) {
    std::error_code error;
    const std::filesystem::path from = plan.folder / file, target = (to / file).lexically_normal();
    if (!std::filesystem::exists(from, error))
      throw UsageError(format("cannot copy {}: there is no such file or folder", from.string()));
    if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
    if (!error)
      std::filesystem::copy(from, target,
                            Options::recursive | Options::copy_symlinks | Options::overwrite_existing, error);
    if (error)
      return fail(Phase::resources, "disk",
                  format("cannot copy {} to {}: {}", from.string(), target.string(), error.message()));
  }
  return {};
}

Result<void> build(const CommandPlan& plan, const std::filesystem::path& folder, const StepLimits& limits) {
  const auto ended = started(plan.build, plan, folder, limits);
  if (!ended) return not_there(plan.build);
  if (ended->was_stopped) return was_stopped(plan.build);
  if (ended->took_too_long) return too_long(plan.build, *ended, limits, std::string(slow_compiler));
  if (ended->status == 0) return {};
  return fail(Phase::compile, ended->signal != 0 ? "compiler crashed" : "build",
              how_it_ended(plan.build, *ended));
}

Result<Execution> execute(const CommandPlan& plan, const std::filesystem::path& folder,
                          const StepLimits& limits) {
  const auto ended = started(plan.run, plan, folder, limits);
  if (!ended) return not_there(plan.run);
  if (ended->was_stopped) return was_stopped(plan.run);
  if (ended->took_too_long) return too_long(plan.run, *ended, limits, "execution");
  if (ended->signal == SIGKILL)
    return fail(Phase::crash, std::string(killed_from_outside), how_it_ended(plan.run, *ended));
  if (ended->signal != 0)
    return fail(Phase::crash, format("signal {}", ended->signal), how_it_ended(plan.run, *ended));
  if (ended->status != 0 && !reads_status(plan))
    return fail(Phase::launch, format("status {}", ended->status), how_it_ended(plan.run, *ended));
  Execution execution{.seconds = ended->seconds, .whole_seconds = ended->seconds, .output = ended->output};
  for (const auto& [name, source] : plan.results) {
    Result<double> number = read_result(source, *ended);
    if (!number) {
      Failure failure = std::move(number.error());
      failure.detail = format("{} of '{}': {}", name, to_text(plan.run), failure.detail);
      if (ended->was_cut) failure.detail += format("; only the last {} MiB were read", kept_output >> 20);
      if (ended->output.empty() && !ended->errors.empty()) failure.detail += "; " + end_of(*ended);
      return tl::unexpected(std::move(failure));
    }
    if (name == "time")
      execution.seconds = *number;
    else
      execution.metrics.emplace_back(name, *number);
  }
  for (const auto& [name, count] : named_counts(ended->counts))
    if (std::ranges::find(plan.results, name, [](const auto& one) { return one.first; }) ==
        plan.results.end())
      execution.metrics.emplace_back(name, count);
  if (!(execution.seconds > 0))
    return fail(Phase::launch, "no result", format("the time is {} s", execution.seconds));
  return execution;
}

Result<double> check(const CommandPlan& plan, const std::filesystem::path& folder, const Execution& execution,
                     const StepLimits& limits) {
  double difference = 0;
  if (const auto& expected = plan.expected) {
    const auto right = read_text(expected->file);
    if (!right) throw UsageError(format("cannot read {}: {}", expected->file.string(), right.error()));
    std::string text = execution.output;
    if (!expected->written.empty()) {
      auto written = read_text(folder / expected->written);
      if (!written)
        return fail(Phase::verify, "wrong result",
                    format("the command did not write {}: {}", expected->written.string(), written.error()));
      text = std::move(*written);
    }
    const Result<double> compared = compare_texts(text, *right, *expected);
    if (!compared) return compared;
    difference = *compared;
  }
  if (plan.check.empty()) return difference;
  const auto ended = started(plan.check, plan, folder, limits);
  if (!ended) return not_there(plan.check);
  if (ended->was_stopped) return was_stopped(plan.check);
  if (ended->took_too_long) return too_long(plan.check, *ended, limits, "check");
  if (ended->status == 0) return difference;
  return fail(Phase::verify, "wrong result", how_it_ended(plan.check, *ended));
}

}  // namespace tune::host

namespace tune {

std::string to_text(const CommandPlan::Words& command) {
  return shortened(joined(command, shell_quoted, " "));
}

}  // namespace tune
