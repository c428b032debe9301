// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/options.hpp"
#include "db/read/recording.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/cache/binary_cache.hpp"
#include "tuner/problem/instance.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// What --device names, read alike by every command: `0` or `cuda:0`, `replay` or `replay:FILE`, `emulator`,
/// `cpu`, else the name of a device or a part of it.
struct DeviceName {
  enum class Kind { none, cuda, replay, emulator, cpu, named };
  Kind kind = Kind::none;
  int number = 0;         ///< of the GPU
  std::string text = {};  ///< the recording's file, or the name
};
/// Throws UsageError for an unfinished text such as `cuda:`, and for several GPUs.
DeviceName parse_device(const std::string& text);
/// Returns the numbers of a list such as `0,1`. For `all` the list is empty; for any other text there is no
/// list. Throws UsageError where a number is named twice, or a part of the list is not a number.
std::optional<std::vector<int>> several_devices(const std::string& text);

/// The device of stored results that --device names: empty for none, the name of this machine's GPU for a
/// number, else the one of `names` and `keys` (model keys of the same devices) that is the text or, whatever
/// its case, contains its words; nothing where there is no such device. Throws UsageError for a part of
/// several names, a recording and the emulator.
std::optional<std::string> stored_device(const std::string& text, const std::vector<std::string>& names,
                                         const std::vector<std::string>& keys);

/// What a command needs a device for.
enum class DeviceUse { tuning, checking, measuring_again, limits };

/// The meaning of --device: a GPU by its number, the processor, or a recording that takes their place.
struct DeviceChoice {
  enum class Kind { cuda, cpu, replay };
  Kind kind = Kind::cuda;
  int number = 0;                ///< of the GPU
  std::string recording;         ///< file; empty for the shipped ones
  std::string reason;            ///< why there is a replay that the user did not ask for; else empty
  std::vector<int> others = {};  ///< GPUs that share the search with the first
  std::vector<std::string> left_out = {};  ///< a line about each GPU that cannot
};

/// Takes --device: a GPU by its number or a part of its name, or for tuning a recording. Without a GPU, `0`
/// becomes a replay; `cuda:0` does not. Without the option the first GPU is taken, or, where there is none,
/// the shipped recordings, with the reason. Throws UsageError that names the devices of this machine and what
/// else this use takes.
DeviceChoice chosen_device(const std::string& device, DeviceUse use);

/// The same for a problem of this kind of device: of the processor `cpu` or no option, or for tuning a
/// recording; or, for tuning, several GPUs (`0,1`, `all`). Throws UsageError for the other kind.
DeviceChoice chosen_device(const std::string& device, DeviceUse use, const ProblemInfo& problem);

/// The evaluations of this problem and size from the chosen file, or from the first shipped recording that
/// has them. Throws Error that names what is recorded instead.
db::Recording open_recording(const DeviceChoice& choice, const Instance& instance, CacheState cache);

/// The recorded sizes of the problem (`64x64x64 radius=1`), those nearest to the instance first: by the
/// number of other settings, then by the ratios of the extents, then of the settings. From the files, or the
/// shipped recordings.
std::vector<std::string> nearest_first(std::vector<std::string> recorded, const Instance& instance);
std::vector<std::string> recorded_sizes(const Instance& instance);
/// The options that ask for one of them: `--size 64x64x64 --set radius=1`.
std::string options_of_recorded(const std::string& recorded);

/// Properties for enumerating a space: those of the GPU or of the stored device that is named, else of the
/// architecture (default sm_90) with a notice.
DeviceProperties properties_or_architecture(const std::string& device, const std::string& architecture,
                                            std::string& notice);

struct ProcessOptions {
  double timeout = 0;  ///< seconds that one execution may take
  bool timeout_given = false;
  double compile_timeout = 0;  ///< seconds that one compile may take
  bool in_process = false;
  std::uint64_t compilers = 0;  ///< at the same time; 0: as many as cores and memory allow

  void add_to(OptionTable& table);
};

/// Returns the number of `--compilers`, or the default.
unsigned compilers_of(const ProcessOptions& options);

/// Opens a GPU, of several the first, or the processor. Worker processes launch and compile its kernels,
/// unless `--in-process` is given. Throws Error where there is no such device, or no compiler for it.
std::unique_ptr<Backend> open_backend(const DeviceChoice& device, const ProcessOptions& options);

struct CacheOptions {
  std::string folder;  ///< empty: as the environment says
  bool off = false;

  void add_to(OptionTable& table);
};

/// The cache of device binaries that the command line and the environment name, limited to $TUNE_CACHE_SIZE;
/// null with --no-compile-cache. A folder that cannot be used is not an error, but gives the cache a notice.
/// Throws UsageError for a size that cannot be read.
std::shared_ptr<cache::BinaryCache> chosen_cache(const CacheOptions& options);

/// Prints the cache's notice, if it has one, on standard error. `cache` may be null.
void tell_notice(const cache::BinaryCache* cache);

}  // namespace tune::cli
