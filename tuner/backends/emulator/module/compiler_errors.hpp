// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tune::emulator {

/// Stands in a module's text in the place of a header that the emulator lacks, before its name.
inline constexpr std::string_view header_is_missing = "tune no_header ";

/// Returns the first errors of a log of g++, without names of this program.
std::string first_errors(const std::string& log);

/// Drops g++'s note on every disabled pass.
std::string without_notes(const std::string& log);

/// Returns what the emulator lacks, if that is the cause of the errors of this module's text; else nothing.
std::string lacking(const std::string& log, const std::string& text);

}  // namespace tune::emulator
