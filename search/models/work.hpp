// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tune::search {

/// Counts multiplications, about: a measure of a model's time that is the same on every machine. Copies count
/// on from where they were made. Not for several threads at once, though counting is const.
class Work {
 public:
  template<typename... Factors>
  void add(Factors... factors) const {
    done_ += (static_cast<std::uint64_t>(factors) * ...);
  }
  std::uint64_t done() const { return done_; }

 private:
  mutable std::uint64_t done_ = 0;
};

}  // namespace tune::search
