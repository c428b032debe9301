// SPDX-License-Identifier: Apache-2.0
// What a kernel's file suggests about parameters, sizes and launch of its definition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/source/kernel_source.hpp"
#include "kernels/described/source/polynomial.hpp"

namespace tune::described {

/// A name that a definition gives values to.
struct Tunable {
  enum class Source {
    guarded,  ///< a macro with a default
    fixed,    ///< a macro that the file defines, whoever else does
    unknown,  ///< a name that nothing defines
    template_argument,
    launch  ///< a name that the kernel does not know
  };
  std::string name;
  Source source = Source::guarded;
  std::optional<std::int64_t> given;     ///< the file's own value
  bool is_switch = false;                ///< on or off
  std::set<std::int64_t> launched = {};  ///< of a template's argument: those of the file's own launches
};

struct GuessedValues {
  std::vector<std::int64_t> values;
  std::int64_t default_value = 0;
};

struct GuessedSize {
  std::string name;
  std::int64_t value = 0, check = 0;
  bool is_fixed = false;   ///< by a macro of the file, which the definition redefines
  bool is_define = false;  ///< the kernel asks for it as a macro
  bool is_whole = false;   ///< no index is compared with it: it must be a multiple of the block
};

/// The extent of blocks or grid along an axis.
struct GuessedExtent {
  std::string formula;
  bool is_certain = false;
};

/// Guesses of one definition. Formulas are in the definition's notation.
class Guesses {
 public:
  /// `tunables` without those for the launch alone, which are added.
  Guesses(const Branches& branches, const KernelFacts& facts,
          std::map<std::string, Comparisons, std::less<>> comparisons, std::vector<Tunable> tunables);

  const std::vector<Tunable>& tunables() const { return tunables_; }
  const std::vector<GuessedSize>& sizes() const { return sizes_; }
  /// Of blocks in threads; those behind the last that is used are left out.
  const std::vector<GuessedExtent>& block() const { return block_; }
  const std::vector<GuessedExtent>& grid() const { return grid_; }

  GuessedValues values_of(const Tunable& tunable) const;
  /// Macros of the file that its launch passes as a size: they follow that size, by their names.
  const std::map<std::string, std::string, std::less<>>& followers() const { return followers_; }
  bool is_size(std::string_view name) const;
  /// True where the kernel may leave elements along the grid's axes as they are.
  bool has_rim() const;
  /// Products of matrices (nvcuda::wmma), and whatever else the lanes of whole warps do together.
  bool multiplies_by_warps() const;
  bool is_by_warps() const;
  /// True for a size that an index is compared with.
  bool is_bound(const std::string& name) const { return bounds_.contains(name); }
  /// The elements of a row: the value of the only argument that is named like a pitch.
  bool is_pitch(const std::string& name) const;
  /// The sizes along the grid's axes, the first for x.
  const std::vector<std::string>& extents() const { return extents_; }
  /// A C expression as a formula over tunables, sizes and these names; nothing where it has others.
  std::optional<std::string> formula_of(std::string_view expression,
                                        const std::vector<std::string>& also = {}) const;
  /// The file's own launch that says most; null where there is none.
  const LaunchOfFile* launch() const { return launch_; }
  /// The elements that the file allocates for an argument of a launch, in terms of its other arguments where
  /// they are passed as numbers; empty where that is not known.
  std::string elements_of(const LaunchOfFile& launch, const std::string& argument) const;
  /// The extents that hold the elements which the kernel reaches, the first for x; nothing where that is not
  /// known. Adds the parameters on which they, or results for each block, depend.
  std::optional<std::vector<std::string>> extents_of(const ParameterOfKernel& array,
                                                     std::set<std::string, std::less<>>& parameters) const;
  /// The parameter that is the value of a kernel's argument; empty where there is none.
  std::string parameter_for(const std::string& argument) const {
    const auto found = passed_as_.find(argument);
    return found == passed_as_.end() ? std::string() : found->second;
  }
  /// An expression of the launch, with the block's extents in their places.
  std::optional<std::string> formula_of_launch(std::string expression) const;

 private:
  const Tunable* tunable(std::string_view name) const;
  std::optional<Polynomial> polynomial_of(std::string_view word) const;
  std::optional<Polynomial> largest_of(const std::string& subscript) const;
  Polynomial with_numbers_of_blocks(const Polynomial& bound) const;
  std::string with_all_values(std::string_view formula, std::string_view function,
                              std::set<std::string, std::less<>>& parameters) const;
  void add_shares_of_blocks(std::set<std::string, std::less<>>& parameters) const;
  std::string most_blocks(std::size_t axis, std::set<std::string, std::less<>>& parameters) const;
  std::optional<Polynomial> without_blocks(Polynomial bound, std::size_t axis) const;
  double value_at(const std::string& name, bool is_check) const;
  void find_sizes();
  void find_followers();
  std::string size_in_struct(const ParameterOfKernel& parameter, std::string_view behind) const;
  bool is_plain(const std::string& bound, const std::string& name) const;
  bool may_be_size(const Tunable& tunable) const;
  bool counts_launches(const std::string& argument) const;
  std::string size_in(const std::string& bound);
  void add_size(const std::string& name);
  void find_launch();
  void find_whole_sizes();
  std::int64_t largest_step(std::size_t axis) const;
  std::optional<GuessedExtent> block_of_launch(std::size_t axis);
  GuessedExtent block_along(std::size_t axis);
  std::string all_of_bound(const Axis& axis, const std::string& size) const;
  GuessedExtent grid_of_kernel(std::size_t axis) const;
  GuessedExtent grid_along(std::size_t axis) const;
  bool is_block(std::string_view name) const;

  const Branches& branches_;
  const KernelFacts& facts_;
  std::map<std::string, Comparisons, std::less<>> comparisons_;
  std::vector<Tunable> tunables_;
  MacroValues kept_ = {};
  std::vector<GuessedSize> sizes_ = {};
  std::map<std::string, std::string, std::less<>> followers_ = {};
  std::vector<std::string> extents_ = {};
  std::set<std::string, std::less<>> bounds_ = {};    ///< sizes up to which an index goes
  std::set<std::string, std::less<>> compared_ = {};  ///< sizes that an index is compared with in any way
  int depth_ = 0;
  const LaunchOfFile* launch_ = nullptr;
  std::map<std::string, std::string, std::less<>> passed_as_ = {};  ///< parameters by arguments of the kernel
  std::array<std::int64_t, 3> fixed_block_ = {};  ///< the launch's own number where the block is a parameter
  std::vector<GuessedExtent> block_ = {}, grid_ = {};
};

/// True for the name of a type of whole numbers.
bool is_whole_type(std::string_view type);

}  // namespace tune::described
