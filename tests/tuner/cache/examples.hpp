// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backends/binary.hpp"

namespace tune::cache::testing {

/// A binary of random content in every member, with about so many bytes of image.
Binary random_binary(std::uint64_t seed, std::size_t image_bytes = 3000);

/// Every member is equal; times to the last bit.
void expect_equal(const Binary& left, const Binary& right);

/// A request with two of everything.
CompileRequest example_request();

/// Files of entries in a folder, sorted.
std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder);
std::string read_file(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

/// Makes a random binary out of the request, or what `outcome` says; counts.
class InventedCompiler : public Compiler {
 public:
  Result<Binary> compile(const CompileRequest& request) const override;
  std::string version() const override { return version_; }
  std::string identity() const override { return identity_; }

  std::string version_ = "invented 1.0";
  std::string identity_ = "invented 1.0 build 1";
  std::optional<Failure> failure;  ///< instead of a binary
  mutable std::atomic<int> compiled{0};
};

}  // namespace tune::cache::testing
