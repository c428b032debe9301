// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/cli/process.hpp"

namespace tune::testing {

/// Returns a descriptor that gives up after 20 s without an answer.
int connect_to(int port);
/// Returns the whole answer of a server on this machine to these bytes.
std::string ask(int port, const std::string& bytes);
/// Asks for a path. `more`: lines of the header, each with its end.
std::string get(int port, const std::string& path, const std::string& more = "");
/// Returns the answer without its header.
std::string body_of(const std::string& answer);
/// Waits up to a minute for the address that `tune serve` prints, and returns its port; 0 without one.
int port_of(const Process& server);

}  // namespace tune::testing
