// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/nvrtc_library.hpp"

#include <link.h>

#include <cstring>
#include <filesystem>
#include <span>

#include "tuner/backends/cuda/toolkit/shared_object.hpp"
#include "tuner/base/format.hpp"

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

/// The build id in a segment of notes (each: sizes of name and content, a type, then both, in words of 4
/// bytes) as hexadecimal digits; empty where there is none.
std::string build_id_in(std::span<const unsigned char> notes) {
  const auto whole_words = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof(note)) {
    std::memcpy(&note, notes.data(), sizeof(note));
    const std::size_t content = sizeof(note) + whole_words(note.n_namesz);
    const std::size_t end = content + whole_words(note.n_descsz);
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + sizeof(note), "GNU", 4) == 0) {
      std::string text;
      for (const unsigned char byte : notes.subspan(content, note.n_descsz)) text += format("{:02x}", byte);
      return text;
    }
    notes = notes.subspan(end);
  }
  return "";
}

/// Of the loaded object that `address` lies in.
std::string build_id_at(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    std::string found;
  } search{address, {}};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
    bool holds = false;
    for (const auto& header : headers)
      holds |=
          header.p_type == PT_LOAD && wanted.address - object->dlpi_addr - header.p_vaddr < header.p_memsz;
    if (!holds) return 0;
    for (const auto& header : headers)
      if (header.p_type == PT_NOTE && wanted.found.empty())
        wanted.found = build_id_in(
            {reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr), header.p_memsz});
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace

std::string NvrtcLibrary::build() const {
  if (std::string id = build_id_at(reinterpret_cast<std::uintptr_t>(version)); !id.empty()) return id;
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(version), &where) == 0 || where.dli_fname == nullptr) return "";
  std::error_code error;
  const auto size = std::filesystem::file_size(where.dli_fname, error);
  if (error) return "";
  const auto written = std::filesystem::last_write_time(where.dli_fname, error);
  return error ? "" : format("{}-{}", size, written.time_since_epoch().count());
}

std::vector<std::string> nvrtc_candidates() {
  return toolkit_candidates({"libnvrtc.so.13", "libnvrtc.so.12"});
}

std::shared_ptr<const NvrtcLibrary> open_nvrtc(std::string* failure_reason,
                                               const std::vector<std::string>& candidates) {
  for (const auto& candidate : candidates) {
    auto nvrtc = std::make_shared<NvrtcLibrary>();
    nvrtc->path = candidate;
    nvrtc->handle = open_shared_object(candidate);
    if (nvrtc->handle == nullptr || !find_functions(*nvrtc)) continue;
    preload_builtins(*nvrtc);
    return nvrtc;
  }
  if (failure_reason != nullptr)
    *failure_reason =
        "NVRTC (libnvrtc.so.13 or libnvrtc.so.12), which compiles kernels, was not found: install the CUDA "
        "toolkit's NVRTC, or set CUDA_HOME to the toolkit's folder";
  return nullptr;
}

}  // namespace tune::cuda
