// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/imports/import.hpp"
#include "kernels/described/imports/kernel_base.hpp"

namespace tune::described {

/// A call of tune_kernel as a draft.
class KernelTunerDraft {
 public:
  KernelTunerDraft(python::Follower& script, const python::FoundCall& call, const ImportRequest& request);

  Import import();

 private:
  using Value = python::Value;

  /// Of the call: by the place or the name of the parameter of tune_kernel; null for none and for `None`.
  const Value* given(std::size_t place, std::string_view name) const;

  // kernel_tuner_notes.cpp: what the definition lacks
  const python::FoundCall::Text* words_of(std::size_t place, std::string_view name) const;
  /// The script's text of an argument, and its line, for marks.
  std::string text_of(std::size_t place, std::string_view name) const;
  python::Place place_of(std::size_t place, std::string_view name) const;
  /// `the script has 'x' (line 3)`: of an argument, or of a value that is not followed.
  std::string said(std::size_t place, std::string_view name) const;
  std::string said(const Value& value) const;
  std::string shown(python::Place place) const;
  void note(python::Place place, const std::string& text);
  void add_notes();
  void add_notes_of_options();
  void add_notes_of_unfollowed();

  // kernel_tuner.cpp: the kernel, its parameters and rules
  void read_parameters();
  void read_source();
  void check_language() const;
  void add_kernel();
  void add_constraints();
  void add_rule(const Value& rule);
  /// Returns the names of the metrics whose formulas are followed.
  std::set<std::string> add_metrics();
  void add_objective(const std::set<std::string>& known_metrics);
  void add_budget();
  std::string rule_of(const Value& rule);
  /// A function of the script's for the values of the parameters, as a formula.
  Value symbolic(const Value& function);
  Value parsed(const std::string& text);
  Value name_of_parameter(std::string_view name) const;

  // kernel_tuner_data.cpp: sizes, launch, arguments
  struct Geometry {
    std::vector<std::string> grid, block, size;  ///< by axis
    std::string guess = {};
  };
  Geometry geometry_of(const python::FoundCall& call, bool is_tuned);
  std::vector<Value> extents_of(const Value& problem_size);
  Value divisor_of(const Value* divisor, const Value& otherwise);
  void add_launch();
  void add_arguments();
  DraftObject array_argument(const std::string& name, const Value& value, const DraftObject* known);
  DraftObject number_argument(const std::string& name, const Value& value, const DraftObject* known);
  std::string fill_of(const python::Array& array, std::string& guess);
  std::string argument_with(const python::Array& array) const;
  void add_constants();
  void add_sizes();
  std::int64_t whole_multiple() const;

  // kernel_tuner_results.cpp: what results are compared with
  void add_results();
  bool add_reference(const Value& answer);
  /// Answers that are a fill become those of their arguments. Returns whether that is all of them.
  bool add_expected(const Value& answer);
  void add_note_of_uncompared(const Value& answer);
  std::vector<std::string> names_of_arguments(const python::FoundCall& call) const;

  python::Follower& script_;
  const python::FoundCall& call_;
  const ImportRequest& request_;
  const std::size_t unfollowed_before_ = script_.unfollowed().size();
  Import result_ = {};
  Draft& draft_ = result_.draft;
  std::string entry_ = {};  ///< with template arguments
  std::string file_ = {};   ///< as the definition names it
  KernelText text_ = {};
  KernelBase base_ = {};
  std::vector<std::pair<std::string, std::vector<Value>>> parameters_ = {};
  std::vector<std::pair<std::string, std::vector<Value>>> types_ =
      {};  ///< parameters that are types of arrays
  ScriptNames names_;
  Geometry geometry_ = {};
  std::vector<std::pair<Value, std::string>> values_ = {};  ///< of the arguments, by their names
  /// Arrays with a fill of their own, by the names of their arguments.
  std::vector<std::pair<std::shared_ptr<const python::Array>, std::string>> filled_ = {};
};

}  // namespace tune::described
