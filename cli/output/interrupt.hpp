// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tune::cli {

/// While it lives, Ctrl-C and SIGTERM only set a flag, so that a run ends cleanly with its summary; a second
/// Ctrl-C ends the program at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  static bool interrupted();
};

}  // namespace tune::cli
