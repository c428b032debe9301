// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tune::cuda {

/// Reads the bytes of each parameter of a kernel from a cubin, by the kernel's lowered name. The runtime does
/// not report the number of parameters: asking beyond the last is an error, which tools that watch the API
/// report. The format (records in the ELF section `.nv.info.<kernel>`) is not documented, but the same from
/// sm_75 to sm_120. Nothing where any detail of it is unknown.
std::optional<std::vector<std::size_t>> parameter_sizes(std::span<const std::byte> cubin,
                                                        std::string_view symbol);

}  // namespace tune::cuda
