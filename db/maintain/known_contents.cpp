// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/known_contents.hpp"

#include <algorithm>

namespace tune::db {

void KnownContents::add(const ContentDigest& content, std::int64_t evaluation) {
  known_.push_back({content, evaluation, 0});
}

void KnownContents::sort() {
  std::ranges::stable_sort(known_, {}, &Known::content);
}

std::int64_t KnownContents::take(const ContentDigest& content) {
  const auto first = std::ranges::lower_bound(known_, content, {}, &Known::content);
  const auto last = std::ranges::upper_bound(first, known_.end(), content, {}, &Known::content);
  if (first == last || first->taken == last - first) return 0;
  return first[first->taken++].evaluation;
}

}  // namespace tune::db
