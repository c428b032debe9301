// SPDX-License-Identifier: Apache-2.0
// A definition that is not finished: readers of other files fill it in, and one writer makes the text with
// marks.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::described {

/// A line of a first definition that holds a guess.
struct Guess {
  int line = 0;
  std::string name;  ///< of the field: `grid`, an argument, a parameter
  std::string text;  ///< what to look at
};

struct FirstDefinition {
  std::string json;
  std::vector<Guess> guesses = {};
  /// What a definition cannot say, or what is not understood: without it nothing can be checked. Empty: none.
  std::vector<std::string> missing = {};
  std::vector<std::string> kernels = {};  ///< of the file, in its order
};

/// A line of a draft: a field and its value as JSON.
struct DraftField {
  std::string name;
  std::string json;
  std::string guess = {};  ///< what to look at; empty: the value is certain
};

/// A line of a draft with an object in it: a parameter, an argument.
struct DraftObject {
  std::string name;
  std::vector<std::pair<std::string, std::string>> members = {};  ///< names and values as JSON, in this order
  std::string guess = {};

  /// Returns the value of a member; empty where there is none.
  std::string_view find(std::string_view member) const;
  /// Gives a member a value, behind all others if there is none of that name.
  void set(std::string_view member, std::string json);
  void remove(std::string_view member);
  void add_guess(std::string_view text);
  /// The values of a parameter stand alone where there is nothing else to say.
  std::string json() const;
};

/// A launch: `entry`, `grid`, `block`, ..., each on a line.
using DraftLaunch = std::vector<DraftField>;

/// The parts of a definition in the order of its text. Parts that are empty are left out.
struct Draft {
  std::string maker = "tune new";  ///< the command
  std::string problem = {};
  std::vector<DraftField> kernel = {};  ///< `file` and what belongs to it
  std::vector<DraftField> work = {};    ///< `sizes`, `check`, `settings`
  std::vector<DraftObject> parameters = {};
  std::vector<DraftField> constraints = {};  ///< their names are not written
  std::string further_constraints = {};      ///< what to look at beside them
  std::vector<DraftObject> arguments = {};
  std::vector<DraftLaunch> launches = {};
  std::vector<DraftField> results = {};  ///< `reference`, `tolerance`, `work`, ...
  std::vector<std::string> missing = {};
  std::vector<std::string> same = {};  ///< parameters on which results seem to depend

  DraftObject* argument(std::string_view name);
};

/// Returns the text and its marks, by line.
FirstDefinition write_draft(const Draft& draft);

/// A text as JSON.
std::string as_json(std::string_view text);
/// A list of JSON values.
std::string json_list(const std::vector<std::string>& values);
/// A list of extents: one alone needs no brackets.
std::string json_extents(const std::vector<std::string>& values);

}  // namespace tune::described
