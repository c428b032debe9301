// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/input/command.hpp"
#include "search/expressions/value.hpp"
#include "search/strategies/registry.hpp"

namespace tune::cli {

enum class Format { text, json };

void add_database_option(po::options_description& options);
void add_format_option(po::options_description& options, const std::string& formats = "text or json");

/// Throws UsageError that names the nearest format.
Format chosen_format(const po::variables_map& values);
/// The same among the given names.
std::string chosen_name(const po::variables_map& values, const std::string& option,
                        const std::vector<std::string>& names);

/// Throws UsageError that names the nearest name, unless `name` is one of them.
void check_name(const std::string& name, const std::string& option, const std::vector<std::string>& names);

/// The strategy of that name, with options where there are some (`model:start=10`); `auto` is the default
/// one. Throws UsageError like check_name, and for options one that lists them.
search::StrategyChoice strategy_named(const std::string& name, const std::string& option);

/// Reads `name=value,name=value`. Throws UsageError that names the option and shows the form, or the name
/// that is there twice.
std::vector<std::pair<std::string, search::Value>> parse_assignments(const std::string& text,
                                                                     const std::string& option);

/// All uses of a repeatable option, each of which may hold several assignments. Throws as parse_assignments.
std::vector<std::pair<std::string, search::Value>> assignments(const po::variables_map& values,
                                                               const std::string& option);

/// The option's text, or an empty one.
std::string option_text(const po::variables_map& values, const std::string& option);

/// A whole number of at least `least`, if given. Throws UsageError: program_options itself reads -1 as a huge
/// one.
std::uint64_t option_count(const po::variables_map& values, const std::string& option,
                           std::uint64_t otherwise, std::uint64_t min);
/// The same of a text.
std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t min);

/// One entry an option: name and value, then what it does in a column of its own.
std::string options_text(const po::options_description& options);

}  // namespace tune::cli
