// SPDX-License-Identifier: Apache-2.0
#include "library/run/worker_backend.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "library/run/paths.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/worker/remote_backend.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/units.hpp"

namespace tune::run {
namespace {

bool runs(const std::filesystem::path& program) {
  return access(program.c_str(), X_OK) == 0;
}

/// Returns the file that holds this code: the program, or libtune.so.
std::filesystem::path own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&open_cache), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : path;
}

std::optional<std::filesystem::path> worker_program() {
  if (const char* named = std::getenv("TUNE_WORKER"); named != nullptr && *named != '\0') return named;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && runs(self.parent_path() / "tune")) return self.parent_path() / "tune";
  // <prefix>/lib/libtune.so, or one folder deeper where the system keeps libraries by architecture.
  const std::filesystem::path library = own_file();
  if (library.empty() || library == self) return std::nullopt;
  const std::filesystem::path folder = library.parent_path();
  for (const auto& prefix : {folder.parent_path(), folder.parent_path().parent_path()})
    if (runs(prefix / "bin" / "tune")) return prefix / "bin" / "tune";
  return std::nullopt;
}

}  // namespace

std::optional<int> device_number(std::string_view text) {
  if (text.starts_with("cuda:")) text.remove_prefix(5);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::unique_ptr<Backend> open_gpu(int number, double timeout, bool in_process) {
  if (in_process) return cuda::open_device(number);
  const auto program = worker_program();
  if (!program)
    throw Error(
        "the program 'tune', which runs kernels in a process of its own, is neither beside this program nor "
        "installed with the library: name it in TUNE_WORKER, or launch in this process (--in-process, "
        "Options::in_process)");
  return std::make_unique<process::RemoteBackend>(
      process::WorkerProgram{*program, {"worker", "device", std::to_string(number)}},
      [program = *program](const DeviceProperties& properties) {
        return std::make_unique<process::RemoteCompiler>(
            process::WorkerProgram{program, {"worker", "compiler", properties.architecture()}});
      },
      process::RemoteOptions{.timeout = timeout});
}

std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder) {
  const char* size = std::getenv("TUNE_CACHE_SIZE");
  const std::uint64_t limit = size == nullptr || *size == '\0' ? cache::BinaryCache::default_limit
                                                               : parse_size(size, "TUNE_CACHE_SIZE");
  return std::make_shared<cache::BinaryCache>(cache_folder(folder), limit);
}

}  // namespace tune::run
