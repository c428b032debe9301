// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/definition.hpp"

#include <algorithm>

#include "tuner/base/format.hpp"

namespace tune::definition {

FormulaValue Formula::evaluate(const Names& names) const {
  try {
    return definition::evaluate(text, names);
  } catch (const search::ExprError& error) {
    place.fail(format("'{}', column {}: {}", text, error.column(), error.what()));
  }
}

const Argument* Definition::argument(std::string_view wanted) const {
  const auto found = std::ranges::find(arguments, wanted, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

Definition read_definition(const std::filesystem::path& path) {
  const auto source = read_json(path);
  const JsonField root(source);
  if (!root.is_object()) root.fail("expected an object with the fields of a definition");
  const bool t1 = root.find("ConfigurationSpace") || root.find("KernelSpecification");
  if (t1 || root.find("parameters") || root.find("kernel")) {
    Definition definition = t1 ? read_t1(root) : read_native(root);
    definition.source = source;
    return definition;
  }
  root.fail(
      "this is no definition: expected 'kernel' and 'parameters', or, in T1, 'ConfigurationSpace' and "
      "'KernelSpecification'");
}

}  // namespace tune::definition
