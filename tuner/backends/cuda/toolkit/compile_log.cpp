// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/compile_log.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace tune::cuda {
namespace {

/// The number that ends right before `unit` in `line`: 12 for ("Used 12 registers", " registers").
std::optional<int> number_before(std::string_view line, std::string_view unit) {
  const auto end = line.find(unit);
  if (end == std::string_view::npos) return std::nullopt;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  const auto [rest, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (begin == end || error != std::errc{} || rest != line.data() + end) return std::nullopt;
  return value;
}

/// What follows `prefix` in `line`, up to `stop`.
std::optional<std::string_view> text_after(std::string_view line, std::string_view prefix, char stop) {
  const auto at = line.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  const auto text = line.substr(at + prefix.size());
  return text.substr(0, text.find(stop));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::map<std::string, KernelResources> parse_ptxas_log(std::string_view log) {
  std::map<std::string, KernelResources> kernels;
  std::string_view described;  // whose stack frame and spills the next line gives: kernel or device function
  KernelResources* compiled = nullptr;  // whose registers follow
  while (!log.empty()) {
    const auto line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (const auto name = text_after(line, "Compiling entry function '", '\'')) {
      compiled = &kernels[std::string(*name)];
    } else if (const auto function = text_after(line, "Function properties for ", ' ')) {
      described = *function;
    } else if (const auto frame = number_before(line, " bytes stack frame")) {
      const auto kernel = kernels.find(std::string(described));
      if (kernel == kernels.end()) continue;
      kernel->second.local_bytes = *frame;
      kernel->second.spill_store_bytes = number_before(line, " bytes spill stores").value_or(0);
      kernel->second.spill_load_bytes = number_before(line, " bytes spill loads").value_or(0);
    } else if (const auto registers = number_before(line, " registers"); registers && compiled) {
      compiled->registers = *registers;
      compiled->static_shared_memory = number_before(line, " bytes smem").value_or(0);
    }
  }
  return kernels;
}

std::string compile_failure_reason(std::string_view log) {
  // The first that is found names the cause: an entry that does not exist also shows as an undefined
  // identifier.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> causes{{
      {"uses too much shared data", "static shared memory"},
      {"open source file", "missing header"},  // could not, or cannot: NVRTC says both
      {"static assertion failed", "static assertion"},
      {"parsing name expression", "entry"},
      {"nvrtc: error: invalid value for", "option"},
      {"nvrtc: error: unrecognized option", "option"},
      {"ptxas error", "compiler"},
      {": error: ", "syntax"},
  }};
  for (const auto& [text, reason] : causes)
    if (contains(log, text)) return std::string(reason);
  return "compiler";
}

}  // namespace tune::cuda
