// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tune {

struct BufferSpec;

/// The memory of a plan, for code of the host between two steps. Each call waits for all earlier steps.
class HostAccess {
 public:
  virtual ~HostAccess() = default;
  /// Throws Error for a name that the plan lacks.
  virtual const BufferSpec& buffer(std::string_view name) const = 0;
  /// Copies bytes of a buffer, from this place of its logical tensor on, which has no gaps.
  virtual void read(std::string_view buffer, std::uint64_t place, std::span<std::byte> to) = 0;
  /// Copies bytes to a buffer.
  virtual void write(std::string_view buffer, std::uint64_t place, std::span<const std::byte> from) = 0;
};

/// Code of the host between two steps. It runs in this process and is a part of the execution: its time
/// counts.
struct HostCode {
  /// Returns true to go back to step HostStep::again.
  std::function<bool(HostAccess& memory)> run;
};

/// So often a plan goes back before its execution counts as one that does not end.
inline constexpr std::uint64_t max_rounds = 1'000'000;

}  // namespace tune
