// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <memory>

namespace tune::api {

/// The process that made an object. Its threads, worker processes and open files are not those of a fork,
/// which must not end them.
class Maker {
 public:
  bool is_this_process() const { return getpid() == process_; }

 private:
  pid_t process_ = getpid();
};

/// Ends what this process made, and leaves what a fork has from its parent.
template<class T>
void end_unless_forked(std::unique_ptr<T>& owned) noexcept {
  if (owned != nullptr && !owned->maker.is_this_process()) static_cast<void>(owned.release());
  owned.reset();
}

}  // namespace tune::api
