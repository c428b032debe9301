// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>

namespace tune::cuda {

/// Opens a shared object; it stays loaded as long as the pointer lives. Null where it cannot be opened.
inline std::shared_ptr<void> open_shared_object(const std::string& file) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  return {handle, [](void* opened) noexcept { dlclose(opened); }};
}

/// Sets `function` to the symbol; false where the object lacks it.
template<class Function>
bool find_symbol(const std::shared_ptr<void>& object, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(object.get(), name));
  return function != nullptr;
}

}  // namespace tune::cuda
