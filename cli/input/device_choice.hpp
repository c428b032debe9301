// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/input/options.hpp"
#include "db/read/recording.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/cache/binary_cache.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::cli {

/// What a command wants a device for.
enum class DeviceUse { tuning, checking, measuring_again, limits };

/// What --device names: a GPU by its number, or a recording that answers instead.
struct DeviceChoice {
  enum class Kind { cuda, replay };
  Kind kind = Kind::cuda;
  int number = 0;         ///< of the GPU
  std::string recording;  ///< file; empty for the shipped ones
  std::string reason;     ///< where nobody asked for a replay: why there is one; else empty
};

/// What --device says: `0`, `cuda:0`, `replay`, `replay:FILE`. 0, too, becomes a replay where there is no GPU
/// at all; `cuda:0` does not. Without the option the first GPU, or, where there is none, the shipped
/// recordings, with the reason. Throws UsageError that names the devices there are, and what else this use
/// takes.
DeviceChoice chosen_device(const std::string& device, DeviceUse use);

/// Evaluations of this problem and size from the chosen file, or from the first shipped recording that has
/// them. Throws Error that names what is recorded instead.
db::Recording open_recording(const DeviceChoice& choice, const Instance& instance, CacheState cache);

/// Facts for enumerating a space: the GPU's, else those of the architecture (default sm_90) with a notice.
DeviceProperties properties_or_architecture(const std::string& device, const std::string& architecture,
                                            std::string& notice);

struct ProcessOptions {
  double timeout = 0;  ///< seconds that a kernel may take
  bool in_process = false;

  void add_to(OptionTable& table);
};

/// Takes a GPU, its kernels launched and compiled in worker processes unless `--in-process` says otherwise.
/// Throws Error where there is no such device, or no compiler for it.
std::unique_ptr<Backend> open_backend(int number, const ProcessOptions& options);

struct CacheOptions {
  std::string folder;  ///< empty: as the environment says
  bool off = false;

  void add_to(OptionTable& table);
};

/// The cache of device binaries that the command line and the environment name, below $TUNE_CACHE_SIZE; null
/// with --no-compile-cache. A folder that cannot be used is no error, but the cache's notice. Throws
/// UsageError for a size that cannot be read.
std::shared_ptr<cache::BinaryCache> chosen_cache(const CacheOptions& options);

/// After the work: the cache's notice, if any, on standard error. `cache` may be null.
void tell_notice(const cache::BinaryCache* cache);

}  // namespace tune::cli
