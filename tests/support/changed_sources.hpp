// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/framework/kernel_files.hpp"

namespace tune::testing {

/// The program's kernel files with a text of one of them replaced: a planted fault.
class ChangedSources : public KernelSources {
 public:
  enum class Where { first_place, everywhere };

  /// Throws std::logic_error where the file lacks `from`.
  ChangedSources(std::string file, const std::string& from, const std::string& to,
                 Where where = Where::first_place)
      : file_(std::move(file)), text_(whole_.text(file_)) {
    std::size_t at = text_.find(from);
    if (at == std::string::npos) throw std::logic_error(file_ + " has no '" + from + "'");
    do {
      text_.replace(at, from.size(), to);
      at = text_.find(from, at + to.size());
    } while (where == Where::everywhere && at != std::string::npos);
  }

  std::string text(std::string_view name) const override { return name == file_ ? text_ : whole_.text(name); }

 private:
  kernels::EmbeddedSources whole_;
  std::string file_, text_;
};

}  // namespace tune::testing
