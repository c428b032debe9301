// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::search {

/// Sees all options of a strategy, one after the other, where `visit_options` names them: the only place that
/// knows of an option's name, range and meaning. A new option is a member of the strategy's struct, with its
/// default, and a line there.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  /// A whole number. `zero`: the word for 0, where that is no amount (`never`).
  virtual void count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
                     std::string_view meaning, std::string_view zero = {}) = 0;
  virtual void number(std::string_view name, double& value, double min, double max,
                      std::string_view meaning) = 0;
  /// `on` or `off`.
  virtual void toggle(std::string_view name, bool& value, std::string_view meaning) = 0;
};

/// What people are told of an option.
struct OptionInfo {
  std::string name, meaning;
  std::string value;  ///< as it would be written
  std::string range;  ///< `1 to 64`, `on or off`, `1 to 100 or never`
};

/// Options that were set: name and value as they are written, in the order of the strategy's list, without
/// those that have their default.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// `:start=10:beliefs=off`; nothing for none.
std::string settings_text(const Settings& settings);

namespace options {

/// Names, defaults and ranges, from a struct with its defaults.
class Lister : public OptionVisitor {
 public:
  void count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
             std::string_view meaning, std::string_view zero) override;
  void number(std::string_view name, double& value, double min, double max,
              std::string_view meaning) override;
  void toggle(std::string_view name, bool& value, std::string_view meaning) override;

  std::vector<OptionInfo> found;
};

/// Sets what `wanted` names. Throws std::invalid_argument, with a line for people, for a value that cannot be
/// meant; for a name that no option has, when `finish` is called.
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
  /// Null where it is not wanted.
  const std::string* wanted(std::string_view name);

  const Settings& wanted_;
  std::vector<bool> used_;
  std::vector<std::string> names_;
};

}  // namespace options

/// A struct that has a `visit_options(Options&, OptionVisitor&)`, with these options set, the others at their
/// default. Throws std::invalid_argument, with a line
/// for people, for a name or a value that cannot be meant.
template<class Options>
Options with_settings(const Settings& settings) {
  Options result;
  options::Setter setter(settings);
  visit_options(result, setter);
  setter.finish();
  return result;
}

/// What they are then. Throws likewise.
template<class Options>
std::vector<OptionInfo> options_with(const Settings& settings) {
  Options values = with_settings<Options>(settings);
  options::Lister lister;
  visit_options(values, lister);
  return std::move(lister.found);
}

/// Of a strategy without options.
struct NoOptions {};
inline void visit_options(NoOptions& /*none*/, OptionVisitor& /*visitor*/) {}

}  // namespace tune::search
