// SPDX-License-Identifier: Apache-2.0
// Paths as Python's pathlib and os.path make them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace tune::described::python {

/// `a/b`, and b alone where it begins at the root.
inline std::string joined_path(const std::string& a, const std::string& b) {
  if (b.starts_with('/') || a.empty() || a == ".") return b;
  return a.ends_with('/') ? a + b : a + "/" + b;
}

/// The path without its last part.
inline std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, std::max<std::size_t>(slash, 1));
}

}  // namespace tune::described::python
