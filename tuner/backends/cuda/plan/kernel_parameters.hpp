// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tune::cuda {

/// Bytes of each parameter of a kernel, read from a cubin by its (lowered) name. The runtime tells the size
/// of a parameter but not how many there are: asking beyond the last is an error, which tools that watch the
/// API report. The format (records in the ELF section `.nv.info.<kernel>`) is not documented, but the same
/// from sm_75 to sm_120; nothing where it is not understood in every detail.
std::optional<std::vector<std::size_t>> parameter_sizes(std::span<const std::byte> cubin,
                                                        std::string_view symbol);

}  // namespace tune::cuda
