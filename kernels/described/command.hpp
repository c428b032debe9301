// SPDX-License-Identifier: Apache-2.0
// A problem whose evaluation is a command.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/expression.hpp"
#include "tuner/plan/command_plan.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::described {

/// A command with names of parameters, sizes and settings in braces.
struct CommandText {
  std::vector<std::string> words = {};
  bool by_shell = false;  ///< it is one word, for a shell
};

struct CommandDescription {
  SourceLocation place = {};
  CommandText build = {}, run = {}, check = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< likewise
  CommandPlan plan = {};  ///< what does not depend on the configuration
};

/// Splits a text into words as a shell does: at spaces, but for quotes and backslashes. Nothing where a quote
/// is open.
std::optional<std::vector<std::string>> split_words(const std::string& text);

/// Returns every text in which names may stand in braces.
std::vector<std::string> texts_of(const CommandDescription& command);

/// Returns the plan of a configuration. A value is a part of one word, whatever it contains; for a shell it
/// is quoted. A word that is a name alone is left out where the value is empty, or the parameter does not
/// exist in the configuration.
CommandPlan plan_of(const CommandDescription& command, const ExpressionScope& scope);

/// Returns the files that decide what the commands do, as far as they are known: those that are copied, and
/// the first one that a command without a build names. Throws UsageError for one that cannot be read.
std::vector<SourceFile> sources_of(const CommandDescription& command);

}  // namespace tune::described
