// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator {

/// What a worker says to its parent through a pipe.
struct Message {
  enum class Type : char {
    begins,       ///< job: it runs from now on
    verdict,      ///< job and verdict
    unexplained,  ///< job and verdict, to which a worker that is not harmed could add
    broken        ///< text: the environment is broken
  };
  Type type = Type::begins;
  std::size_t job = 0;
  CheckVerdict verdict;
  std::string text;
};

/// Messages as bytes, each after its length; both ends are the same program.
std::string packed(const Message& message);
/// Takes the first whole message off `bytes`.
std::optional<Message> take_message(std::string& bytes);

}  // namespace tune::emulator
