// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/failure.hpp"

#include <algorithm>
#include <array>

#include "tuner/base/enum_names.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 7> phase_names = {"constraint", "compile", "resources", "launch",
                                                         "verify",     "timeout", "crash"};

using Reasons = std::initializer_list<std::string_view>;

bool is_one_of(const Failure& failure, Reasons reasons) {
  return std::ranges::find(reasons, failure.reason) != reasons.end();
}

/// True for statuses of the CUDA runtime that no kernel causes: memory that was taken, damaged or claimed by
/// others, a driver or a service that is not there.
bool is_of_machine(const Failure& failure) {
  return failure.reason.starts_with("cudaErrorMps") || failure.reason.starts_with("cudaErrorSystem") ||
         is_one_of(failure,
                   {"cudaErrorMemoryAllocation", "cudaErrorECCUncorrectable", "cudaErrorNvlinkUncorrectable",
                    "cudaErrorContained", "cudaErrorDevicesUnavailable", "cudaErrorExternalDevice",
                    "cudaErrorInitializationError", "cudaErrorInsufficientDriver", "cudaErrorNoDevice",
                    "cudaErrorOperatingSystem", "cudaErrorStartupFailure"});
}

}  // namespace

std::string_view to_string(Phase phase) {
  return phase_names.at(static_cast<std::size_t>(phase));
}

Phase phase_from_string(std::string_view name) {
  return enum_from_name<Phase>(phase_names, name, "phase");
}

Recurrence recurrence_of(const Failure& failure) {
  switch (failure.phase) {
    case Phase::constraint:
    case Phase::verify:
      return Recurrence::certain;
    case Phase::compile:
      if (is_one_of(failure, {"syntax", "entry", "option", "static assertion", "static shared memory",
                              "constant memory", "build", redefined_macro}))
        return Recurrence::certain;
      return is_one_of(failure, {"compiler", "compiler crashed"}) ? Recurrence::likely : Recurrence::unknown;
    case Phase::resources:
      return is_one_of(failure, {"device memory", "host memory", "memory", "disk", "cuFFT", "load"})
                 ? Recurrence::unknown
                 : Recurrence::certain;
    case Phase::launch:
      return is_of_machine(failure) || is_one_of(failure, {"cuFFT", "no such command", energy_not_read})
                 ? Recurrence::unknown
                 : Recurrence::certain;
    case Phase::timeout:
      return failure.reason == slow_compiler ? Recurrence::likely : Recurrence::certain;
    case Phase::crash:
      return is_of_machine(failure) || is_one_of(failure, {killed_from_outside, run_ended, lost_device})
                 ? Recurrence::unknown
                 : Recurrence::likely;
  }
  return Recurrence::unknown;
}

bool is_answer(const Failure& failure, int times, double timeout) {
  const Recurrence recurrence = recurrence_of(failure);
  if (recurrence == Recurrence::likely) return times >= 2;
  if (recurrence == Recurrence::unknown) return false;
  return failure.phase != Phase::timeout || failure.time_limit >= timeout;
}

bool is_accident(const Failure& failure, int attempts) {
  return failure.phase == Phase::timeout || recurrence_of(failure) == Recurrence::unknown ||
         (recurrence_of(failure) == Recurrence::likely && attempts < 2);
}

bool is_beyond_device(const Failure& failure) {
  return failure.phase == Phase::resources ||
         (failure.phase == Phase::compile && failure.reason == "static shared memory");
}

bool before_launch(const Failure& failure) {
  return failure.phase <= Phase::resources ||
         (failure.phase == Phase::timeout && failure.reason == slow_compiler);
}

}  // namespace tune
