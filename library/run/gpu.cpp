// SPDX-License-Identifier: Apache-2.0
#include "library/run/gpu.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "library/run/paths.hpp"
#include "library/run/version.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/cuda/toolkit/cuda_compiler.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/host/host_compiler.hpp"
#include "tuner/backends/host/host_runner.hpp"
#include "tuner/backends/worker/remote_backend.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"
#include "tuner/base/units.hpp"

namespace tune::run {
namespace {

std::atomic<bool> serves_workers = false;  ///< this program is `tune`

bool runs(const std::filesystem::path& program) {
  std::error_code error;
  return std::filesystem::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0;
}

/// The file that holds this code: the program, or libtune.so.
std::filesystem::path own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&device_number), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : path;
}

std::unique_ptr<Compiler> remote_compiler(const std::filesystem::path& program,
                                          const std::string& architecture, double timeout) {
  return cuda::with_nvcc(
      std::make_unique<process::RemoteCompiler>(
          process::WorkerProgram{program, {"worker", "compiler", architecture, version()}}, timeout),
      architecture, timeout);
}

/// The compiler of another backend.
class SharedCompiler : public Compiler {
 public:
  explicit SharedCompiler(const Compiler& compiler) : compiler_(compiler) {}
  Result<Binary> compile(const CompileRequest& request) const override { return compiler_.compile(request); }
  void cancel() const override { compiler_.cancel(); }
  std::string version() const override { return compiler_.version(); }
  std::optional<std::string> version_for(const CompileRequest& request) const override {
    return compiler_.version_for(request);
  }
  std::string identity() const override { return compiler_.identity(); }
  std::optional<std::string> files_key(const CompileRequest& request) const override {
    return compiler_.files_key(request);
  }

 private:
  const Compiler& compiler_;
};

std::unique_ptr<Backend> worker_backend(const std::filesystem::path& program, std::optional<int> gpu,
                                        double timeout,
                                        const process::RemoteBackend::CompilerMaker& make_compiler) {
  return std::make_unique<process::RemoteBackend>(
      process::WorkerProgram{program, {"worker", "device", gpu ? std::to_string(*gpu) : "cpu", version()}},
      make_compiler, process::RemoteOptions{.timeout = timeout});
}

std::filesystem::path needed_program(std::string_view in_process_setting,
                                     const std::filesystem::path& installed) {
  if (auto program = worker_program(installed)) return *std::move(program);
  throw Error(
      format("found no program 'tune', which runs kernels in its own process, beside this program, with the "
             "library or in PATH: set TUNE_WORKER to it, or choose {}",
             in_process_setting));
}

}  // namespace

void serve_workers() {
  serves_workers = true;
}

std::optional<std::filesystem::path> worker_program(const std::filesystem::path& installed) {
  if (const char* named = std::getenv("TUNE_WORKER"); named != nullptr && *named != '\0') return named;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  // A program that was replaced since it began runs on under the second name.
  if (serves_workers) return runs(self) ? self : std::filesystem::path("/proc/self/exe");
  std::vector<std::filesystem::path> places;
  if (!error) places.push_back(self.parent_path() / "tune");
  // <prefix>/lib/libtune.so, or one folder deeper where the system keeps libraries by architecture.
  if (const std::filesystem::path library = own_file(); !library.empty() && library != self)
    for (const auto& prefix :
         {library.parent_path().parent_path(), library.parent_path().parent_path().parent_path()})
      places.push_back(prefix / "bin" / "tune");
  if (!installed.empty()) places.push_back(installed / "bin" / "tune");
  places.emplace_back(TUNE_INSTALLED_PROGRAM);
  places.emplace_back(find_program("tune"));
  const auto found = std::ranges::find_if(places, runs);
  return found == places.end() ? std::nullopt : std::optional(*found);
}

std::optional<int> device_number(std::string_view text) {
  if (text.starts_with("cuda:")) text.remove_prefix(5);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

void check_device(int number, std::string_view instead) {
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (devices.empty())
    throw NoDeviceError(format("there is no device {}: {}; {}", number, failure_reason, instead));
  if (static_cast<std::size_t>(number) < devices.size()) return;
  std::vector<std::string> known;
  for (const DeviceProperties& device : devices)
    known.push_back(format("{} ({})", known.size(), device.name));
  throw NoDeviceError(format("there is no device {}; there is {}", number, joined(known)));
}

std::unique_ptr<Backend> open_device(std::optional<int> gpu, double timeout, bool in_process,
                                     std::string_view in_process_setting,
                                     const std::filesystem::path& installed, double compile_timeout) {
  if (in_process) return gpu ? cuda::open_device(*gpu) : host::open_processor(compile_timeout);
  const std::filesystem::path program = needed_program(in_process_setting, installed);
  return worker_backend(program, gpu, timeout,
                        [=](const DeviceProperties& properties) -> std::unique_ptr<Compiler> {
                          if (!gpu) return std::make_unique<host::HostCompiler>(compile_timeout);
                          return remote_compiler(program, properties.architecture(), compile_timeout);
                        });
}

std::vector<std::unique_ptr<Backend>> open_more_devices(const Backend& first, const std::vector<int>& gpus,
                                                        double timeout) {
  if (gpus.empty()) return {};
  const std::filesystem::path program = needed_program("one GPU with --in-process", {});
  std::vector<std::unique_ptr<Backend>> backends;
  for (const int gpu : gpus)
    backends.push_back(worker_backend(program, gpu, timeout, [&first](const DeviceProperties&) {
      return std::make_unique<SharedCompiler>(first.compiler());
    }));
  return backends;
}

std::vector<int> of_one_model(const std::vector<DeviceProperties>& devices, const std::vector<int>& numbers,
                              std::vector<std::string>& left_out) {
  const auto at = [&devices](int number) -> const DeviceProperties& {
    return devices.at(static_cast<std::size_t>(number));
  };
  const DeviceProperties& first = at(numbers.front());
  std::vector<int> equal;
  for (const int number : numbers) {
    const DeviceProperties& one = at(number);
    if (one.model_key() == first.model_key() && one.driver == first.driver)
      equal.push_back(number);
    else if (one.model_key() == first.model_key())
      left_out.push_back(
          format("device {} is left out: its driver is another one ({}) than that of device {}", number,
                 one.driver, numbers.front()));
    else
      left_out.push_back(format(
          "device {} is left out: it is another model ({}) than device {} ({}); --device {} tunes on it",
          number, one.model_key(), numbers.front(), first.model_key(), number));
  }
  return equal;
}

std::vector<int> equal_devices(std::vector<int> numbers, std::string_view instead,
                               std::vector<std::string>& left_out) {
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (numbers.empty() && devices.empty())
    throw NoDeviceError(format("there is no GPU: {}; {}", failure_reason, instead));
  for (const int number : numbers) check_device(number, instead);
  if (numbers.empty())
    for (std::size_t i = 0; i < devices.size(); ++i) numbers.push_back(static_cast<int>(i));
  return of_one_model(devices, numbers, left_out);
}

std::unique_ptr<Compiler> open_compiler(const std::string& architecture, bool in_process,
                                        double compile_timeout) {
  std::string failure_reason;
  std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(architecture, &failure_reason);
  if (!compiler) throw Error(format("cannot compile for {}: {}", architecture, failure_reason));
  const auto program = in_process ? std::nullopt : worker_program();
  return program ? remote_compiler(*program, architecture, compile_timeout)
                 : cuda::with_nvcc(std::move(compiler), architecture, compile_timeout);
}

std::function<bool(const CompileRequest&)> device_takes(bool in_process, double compile_timeout) {
  const auto compiler = std::make_shared<std::unique_ptr<Compiler>>();
  return [=](const CompileRequest& request) {
    try {
      if (*compiler == nullptr) *compiler = open_compiler("sm_90", in_process, compile_timeout);
      return (*compiler)->compile(request).has_value();
    } catch (const Error&) {
      return false;
    }
  };
}

std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder) {
  const char* size = std::getenv("TUNE_CACHE_SIZE");
  const std::uint64_t limit = size == nullptr || *size == '\0' ? cache::BinaryCache::default_limit
                                                               : parse_size(size, "TUNE_CACHE_SIZE");
  return std::make_shared<cache::BinaryCache>(cache_folder(folder), limit);
}

}  // namespace tune::run
