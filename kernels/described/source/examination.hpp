// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/source/guesses.hpp"
#include "kernels/described/source/kernel_source.hpp"

namespace tune::described {

/// Names that a compiler finds undefined where these macros are defined; nothing where there is no compiler,
/// or other errors may hide names.
using UndefinedNames = std::function<std::optional<std::vector<std::string>>(const MacroValues& defines)>;

/// The number that a macro stands for; nothing for a type or a name.
std::optional<std::int64_t> number_in(const std::string& text);

/// Finds the parameters of a kernel, and what it does for their values. File, text and compiler live as long
/// as it.
class Examination {
 public:
  /// `entry`: the kernel's name; empty for the first. Throws UsageError where there is none.
  Examination(const std::string& file_name, const KernelText& text, const std::string& entry,
              const UndefinedNames& undefined);

  const KernelFacts& facts() const { return *facts_; }
  Guesses guesses() const { return {branches_, *facts_, comparisons_, tunables()}; }
  /// Macros without parameters, as they are at the end of the file.
  const MacroValues& macros() const { return branches_.macros; }
  /// Parameters for whose values the kernel reads other arrays: its results depend on them.
  const std::set<std::string, std::less<>>& deciding() const { return deciding_; }
  /// Types of arguments that nothing declares, as the compiler says: another file defines them, and includes
  /// this one. They count as float.
  const std::vector<std::string>& missing_types() const { return missing_types_; }
  /// Names that nothing defines and other functions of the file use, with values.
  std::vector<std::pair<std::string, std::string>> elsewhere() const;

 private:
  std::vector<Tunable> tunables() const;
  /// Reads the kernel for the defaults, and for each other value of one parameter.
  void examine();
  /// Leaves out what does not change the kernel, such as a condition in another kernel of the file: its lines
  /// hold nothing of this kernel, and define nothing that it uses.
  void leave_out_useless();
  /// The other functions of the file must compile, too: finds names that they miss, and parameters of theirs
  /// that choose a definition of such a name.
  void ask_for_others();
  /// Adds names that nothing defines to the parameters; true where there are new ones.
  bool add_unknown();
  bool add_missing_types();
  /// True where the compiler sees the name, too: not in a branch that other values choose.
  bool is_in_default(const std::string& name) const;

  const std::string& file_name_;
  const KernelText text_;
  const std::string& entry_;
  const UndefinedNames& undefined_;
  const std::vector<KernelPlace> places_;
  std::map<std::string, Comparisons, std::less<>> comparisons_;
  std::vector<Tunable> guarded_ = {}, unknown_ = {};
  MacroValues values_ = {};
  Branches branches_ = {};
  std::optional<KernelFacts> facts_ = std::nullopt;
  std::vector<std::string> asked_ = {};
  std::size_t bytes_left_ = 8'000'000;  ///< to be read for other values: a second
  std::set<std::string> dropped_ = {}, useless_ = {};
  std::set<std::string, std::less<>> deciding_ = {};
  std::vector<std::string> missing_types_ = {};
  std::vector<std::string> needed_ = {};  ///< by other functions of the file
  std::optional<std::vector<std::string>> undefined_elsewhere_ = std::nullopt;
  std::set<std::string, std::less<>> declared_ = {};  ///< in any branch
};

}  // namespace tune::described
