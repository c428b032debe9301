// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/base/content_hash.hpp"

/// Which of many rows a run has already: for the .cpp files of this folder only.
namespace tune::db {

/// Numbers of evaluations by the digests of their contents: 32 bytes for each.
class KnownContents {
 public:
  /// Equal contents are taken in the order in which they are added.
  void add(const ContentDigest& content, std::int64_t evaluation);
  /// To be called after the last `add`.
  void sort();
  /// Returns the number of an equal one, or 0; each is returned once.
  std::int64_t take(const ContentDigest& content);
  void clear() { known_.clear(); }
  bool empty() const { return known_.empty(); }

 private:
  struct Known {
    ContentDigest content;
    std::int64_t evaluation = 0;
    std::ptrdiff_t taken = 0;  ///< of the first of equal ones: how many of them are
  };

  std::vector<Known> known_;
};

}  // namespace tune::db
