// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The pattern of red zones, as in cuda/checks/types.cuh, which says why.
inline constexpr std::uint32_t guard_word = 0x7ff5a3c7U;

/// Returns the bytes of the red zones before and after a buffer. The typical stray write goes one row or
/// plane too far, so a zone is as long as a step along the slowest dimension, at least 64 KiB and at most 16
/// MiB; and a multiple of 64 KiB, so that the buffer is aligned like the allocation.
std::uint64_t guard_bytes(const BufferSpec& buffer);

/// Fills a zone in host memory, and tells whether something was written to it since.
void fill_guard(std::span<std::byte> zone);
bool is_damaged(std::span<const std::byte> zone);
/// How many bytes of a word of the pattern lie before this address.
inline std::size_t misalignment_of(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof guard_word;
}

/// The side of the buffer that a zone lies on.
enum class Side { before, after };

/// Failure{verify, "out of bounds"} for a damaged zone; it names the damage nearest to the buffer. `red_zone`
/// has the zone's contents; its first byte lies `misalignment` bytes into a word of the pattern.
Failure out_of_bounds(const std::string& buffer, Side side, std::span<const std::byte> red_zone,
                      std::size_t misalignment);
/// Failure{verify, "out of bounds"} where the kernel wrote to memory far from all buffers of its plan.
Failure far_out_of_bounds();

/// Failure{verify, "changed input"}. `byte` is the place of the first byte that differs, from the start of
/// the allocation; `was` and `is` hold the allocation's contents from `begin` on, including the whole element
/// there.
Failure changed_input(const BufferSpec& buffer, std::uint64_t byte, std::uint64_t begin,
                      std::span<const std::byte> was, std::span<const std::byte> is);
/// Failure{verify, "changed input"} where only a range that contains the change is known.
Failure changed_input(const BufferSpec& buffer, std::uint64_t begin, std::uint64_t bytes);

}  // namespace tune
