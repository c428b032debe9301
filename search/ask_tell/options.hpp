// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::search {

/// An option as it is listed.
struct OptionInfo {
  std::string name, meaning;
  std::string value;  ///< as it would be written
  std::string range;  ///< `1 to 64`, `on or off`, `1 to 100 or never`
};

/// The options that were set: name and value as they are written, in the order of the strategy's list,
/// without those that have their default.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Returns `:start=10:beliefs=off`, or an empty text for none.
std::string settings_text(const Settings& settings);

/// Sets and lists the options of a strategy, one after the other. A `visit_options(Options&, OptionVisitor&)`
/// is the only place with an option's name, range and meaning: a new option is a member of the strategy's
/// struct, with its default, and a line there.
class OptionVisitor {
 public:
  explicit OptionVisitor(const Settings& wanted) : wanted_(wanted), used_(wanted.size()) {}

  /// A whole number. `zero` is the word for 0 where that switches something off (`never`). Like the others
  /// throws std::invalid_argument, with a line for the user, for a value that does not fit.
  void count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
             std::string_view meaning, std::string_view zero = {});
  void number(std::string_view name, double& value, double min, double max, std::string_view meaning);
  /// `on` or `off`.
  void toggle(std::string_view name, bool& value, std::string_view meaning);

  /// Returns all options with their values. Throws std::invalid_argument, with a line for the user, for a
  /// name that no option has.
  std::vector<OptionInfo> finish();

 private:
  /// Returns null where the option is not set.
  const std::string* wanted(std::string_view name);
  void list(std::string_view name, std::string_view meaning, std::string value, std::string range);

  const Settings& wanted_;
  std::vector<bool> used_;
  std::vector<OptionInfo> found_;
};

/// Returns the struct of options with these settings, the others at their default. Throws
/// std::invalid_argument, with a line for the user, for an unknown name or a value that does not fit.
template<class Options>
Options with_settings(const Settings& settings) {
  Options result;
  OptionVisitor visitor(settings);
  visit_options(result, visitor);
  visitor.finish();
  return result;
}

/// Lists all options with these settings. Throws likewise.
template<class Options>
std::vector<OptionInfo> options_with(const Settings& settings) {
  Options values;
  OptionVisitor visitor(settings);
  visit_options(values, visitor);
  return visitor.finish();
}

/// The options of a strategy that has none.
struct NoOptions {};
inline void visit_options(NoOptions& /*none*/, OptionVisitor& /*visitor*/) {}

}  // namespace tune::search
