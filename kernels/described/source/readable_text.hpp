// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::described {

/// A text in CUDA as the grammar can read it, as long as the one that it stands for.
struct ReadableText {
  std::string text;
  std::vector<std::size_t> turned = {};  ///< where `>` stands for `<`, ascending
};

/// Turns `<` into `>` where it compares a member, as in `threadIdx.x < n`, which the grammar otherwise takes
/// for the beginning of a template's arguments; and puts spaces in place of attributes that the grammar does
/// not know, such as `__maxnreg__(32)`.
ReadableText readable_text(std::string_view text);

}  // namespace tune::described
