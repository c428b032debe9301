// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/nvrtc_library.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#include "tuner/core/format.hpp"
#include "tuner/cuda/shared_object.hpp"

namespace tune::cuda {
namespace {

bool find_functions(NvrtcLibrary& nvrtc) {
  const auto& object = nvrtc.handle;
  return find_symbol(object, "nvrtcGetErrorString", nvrtc.get_error_string) &&
         find_symbol(object, "nvrtcVersion", nvrtc.version) &&
         find_symbol(object, "nvrtcGetNumSupportedArchs", nvrtc.get_num_supported_archs) &&
         find_symbol(object, "nvrtcGetSupportedArchs", nvrtc.get_supported_archs) &&
         find_symbol(object, "nvrtcCreateProgram", nvrtc.create_program) &&
         find_symbol(object, "nvrtcDestroyProgram", nvrtc.destroy_program) &&
         find_symbol(object, "nvrtcAddNameExpression", nvrtc.add_name_expression) &&
         find_symbol(object, "nvrtcCompileProgram", nvrtc.compile_program) &&
         find_symbol(object, "nvrtcGetLoweredName", nvrtc.get_lowered_name) &&
         find_symbol(object, "nvrtcGetProgramLogSize", nvrtc.get_program_log_size) &&
         find_symbol(object, "nvrtcGetProgramLog", nvrtc.get_program_log) &&
         find_symbol(object, "nvrtcGetCUBINSize", nvrtc.get_cubin_size) &&
         find_symbol(object, "nvrtcGetCUBIN", nvrtc.get_cubin);
}

/// NVRTC opens its builtins by bare name at the first compilation, which finds them only in the loader's
/// folders. Opened here by full path they are already there; never closed, as NVRTC itself would keep them.
void preload_builtins(const NvrtcLibrary& nvrtc) {
  Dl_info where{};
  int major = 0;
  int minor = 0;
  if (dladdr(reinterpret_cast<void*>(nvrtc.version), &where) == 0 || where.dli_fname == nullptr) return;
  if (nvrtc.version(&major, &minor) != nvrtc_success) return;
  const auto folder = std::filesystem::path(where.dli_fname).parent_path();
  const auto file = folder / format("libnvrtc-builtins.so.{}.{}", major, minor);
  std::error_code error;
  if (std::filesystem::exists(file, error)) dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      folders.push_back(std::string(root) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> candidates;
  for (const auto& folder : folders)
    for (const char* file : {"libnvrtc.so.13", "libnvrtc.so.12"}) candidates.push_back(folder + file);
  return candidates;
}

std::shared_ptr<const NvrtcLibrary> open_nvrtc(std::string* why_not,
                                               const std::vector<std::string>& candidates) {
  for (const auto& candidate : candidates) {
    auto nvrtc = std::make_shared<NvrtcLibrary>();
    nvrtc->path = candidate;
    nvrtc->handle = open_shared_object(candidate);
    if (nvrtc->handle == nullptr || !find_functions(*nvrtc)) continue;
    preload_builtins(*nvrtc);
    return nvrtc;
  }
  if (why_not != nullptr)
    *why_not =
        "NVRTC (libnvrtc.so.13 or libnvrtc.so.12), which compiles kernels, was not found: install the CUDA "
        "toolkit's NVRTC, or set CUDA_HOME to the toolkit's folder";
  return nullptr;
}

}  // namespace tune::cuda
