// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/architectures.hpp"

#include <array>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

struct ArchitectureLimits {
  int major, minor;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  int shared_kib_per_block;  ///< opted in
  int shared_kib_per_multiprocessor;
};

constexpr std::array<std::string_view, 9> architecture_names = {"sm_70", "sm_75",  "sm_80",  "sm_86", "sm_89",
                                                                "sm_90", "sm_100", "sm_103", "sm_120"};
constexpr std::array<ArchitectureLimits, 9> limits = {{{7, 0, 2048, 32, 96, 96},
                                                       {7, 5, 1024, 16, 64, 64},
                                                       {8, 0, 2048, 32, 163, 164},
                                                       {8, 6, 1536, 16, 99, 100},
                                                       {8, 9, 1536, 24, 99, 100},
                                                       {9, 0, 2048, 32, 227, 228},
                                                       {10, 0, 2048, 32, 227, 228},
                                                       {10, 3, 2048, 32, 227, 228},
                                                       {12, 0, 1536, 24, 99, 100}}};

}  // namespace

std::span<const std::string_view> known_architectures() {
  return architecture_names;
}

DeviceProperties architecture_properties(std::string_view architecture) {
  for (std::size_t i = 0; i < architecture_names.size(); ++i) {
    if (architecture_names[i] != architecture) continue;
    const ArchitectureLimits& limit = limits[i];
    DeviceProperties properties;
    properties.name = std::string(architecture);
    properties.compute_major = limit.major;
    properties.compute_minor = limit.minor;
    properties.multiprocessors = 1;
    properties.max_threads_per_block = 1024;
    properties.max_threads_per_multiprocessor = limit.threads_per_multiprocessor;
    properties.max_blocks_per_multiprocessor = limit.blocks_per_multiprocessor;
    properties.max_block_dim[0] = properties.max_block_dim[1] = 1024;
    properties.max_block_dim[2] = 64;
    properties.max_grid_dim[0] = 2147483647;
    properties.max_grid_dim[1] = properties.max_grid_dim[2] = 65535;
    properties.registers_per_block = properties.registers_per_multiprocessor = 65536;
    properties.shared_memory_per_block = 48 * 1024;
    properties.shared_memory_per_block_optin = limit.shared_kib_per_block * 1024;
    properties.shared_memory_per_multiprocessor = limit.shared_kib_per_multiprocessor * 1024;
    properties.reserved_shared_memory_per_block = limit.major >= 8 ? 1024 : 0;
    properties.global_memory = std::int64_t{16} << 30;
    return properties;
  }
  std::string known;
  for (const std::string_view name : architecture_names)
    known += (known.empty() ? "" : ", ") + std::string(name);
  throw UsageError(format("unknown architecture '{}'; known are {}", architecture, known));
}

}  // namespace tune
