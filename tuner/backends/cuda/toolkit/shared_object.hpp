// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace tune::cuda {

/// Opens a shared object, which stays loaded: some of the toolkit take memory that they only find again while
/// they are. Null where it cannot be opened.
inline std::shared_ptr<void> open_shared_object(const std::string& file) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return nullptr;
  return {handle, [](void* opened) noexcept { dlclose(opened); }};
}

/// Sets `function` to the symbol; false where the object lacks it.
template<class Function>
bool find_symbol(const std::shared_ptr<void>& object, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(object.get(), name));
  return function != nullptr;
}

/// Returns the places of a library of the toolkit: each of `files` by the system's loader, then in
/// $CUDA_HOME, $CUDA_PATH and /usr/local/cuda.
inline std::vector<std::string> toolkit_candidates(std::initializer_list<const char*> files) {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      folders.push_back(std::string(root) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> candidates;
  for (const auto& folder : folders)
    for (const char* file : files) candidates.push_back(folder + file);
  return candidates;
}

}  // namespace tune::cuda
