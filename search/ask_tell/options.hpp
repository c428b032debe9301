// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::search {

/// Visits all options of a strategy, one after the other. `visit_options` is the only place with an option's
/// name, range and meaning. A new option is a member of the strategy's struct, with its default, and a line
/// there.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  /// Visits a whole number. `zero` is the word for 0 where that switches something off (`never`).
  virtual void count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
                     std::string_view meaning, std::string_view zero = {}) = 0;
  virtual void number(std::string_view name, double& value, double min, double max,
                      std::string_view meaning) = 0;
  /// `on` or `off`.
  virtual void toggle(std::string_view name, bool& value, std::string_view meaning) = 0;
};

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

namespace options {

/// Lists names, defaults and ranges, from a struct with its defaults.
class Lister : public OptionVisitor {
 public:
  void count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
             std::string_view meaning, std::string_view zero) override;
  void number(std::string_view name, double& value, double min, double max,
              std::string_view meaning) override;
  void toggle(std::string_view name, bool& value, std::string_view meaning) override;

  std::vector<OptionInfo> found;
};

/// Sets the options that `wanted` names. Throws std::invalid_argument with a line for the user: at once for a
/// value that does not fit, and in `finish` for a name that no option has.
class Setter : public OptionVisitor {
 public:
  explicit Setter(const Settings& wanted) : wanted_(wanted), used_(wanted.size()) {}

  void count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
             std::string_view meaning, std::string_view zero) override;
  void number(std::string_view name, double& value, double min, double max,
              std::string_view meaning) override;
  void toggle(std::string_view name, bool& value, std::string_view meaning) override;
  void finish() const;

 private:
  /// Returns null where the option is not set.
  const std::string* wanted(std::string_view name);

  const Settings& wanted_;
  std::vector<bool> used_;
  std::vector<std::string> names_;
};

}  // namespace options

/// Returns a struct that has a `visit_options(Options&, OptionVisitor&)` with these options set and the
/// others at their default. Throws std::invalid_argument, with a line for the user, for an unknown name or a
/// value that does not fit.
template<class Options>
Options with_settings(const Settings& settings) {
  Options result;
  options::Setter setter(settings);
  visit_options(result, setter);
  setter.finish();
  return result;
}

/// Lists all options with these settings. Throws likewise.
template<class Options>
std::vector<OptionInfo> options_with(const Settings& settings) {
  Options values = with_settings<Options>(settings);
  options::Lister lister;
  visit_options(values, lister);
  return std::move(lister.found);
}

/// The options of a strategy that has none.
struct NoOptions {};
inline void visit_options(NoOptions& /*none*/, OptionVisitor& /*visitor*/) {}

}  // namespace tune::search
