// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Bytes of the zones before and after a buffer. The typical stray write goes one row or plane too far, so a
/// zone is as long as a step along the slowest dimension, at least 64 KiB and at most 16 MiB; and a whole
/// number of 64 KiB, so that the buffer is aligned as the allocation is.
std::uint64_t guard_bytes(const BufferSpec& buffer);

/// Which side of its buffer a zone lies on.
enum class Side { before, after };

/// Failure{verify, "out of bounds"} for a zone that is not as it was filled, naming the place that is nearest
/// to the buffer. `zone` is what was found there; its first byte lies `misalignment` bytes into a word of the
/// pattern.
Failure out_of_bounds(const std::string& buffer, Side side, std::span<const std::byte> red_zone,
                      std::size_t misalignment);
/// The same where the kernel wrote to memory that is far from all buffers of its plan.
Failure far_out_of_bounds();

/// Failure{verify, "changed input"}. `byte` is the place of the first byte that differs, counted from the
/// start of the allocation; `was` and `is` hold the allocation's contents from `begin` on and reach over the
/// whole element there.
Failure changed_input(const BufferSpec& buffer, std::uint64_t byte, std::uint64_t begin,
                      std::span<const std::byte> was, std::span<const std::byte> is);
/// The same where all that is known is that one of `bytes` bytes from `begin` on differs.
Failure changed_input(const BufferSpec& buffer, std::uint64_t begin, std::uint64_t bytes);

}  // namespace tune::cuda
