// SPDX-License-Identifier: Apache-2.0
// Parts of the reader of T1; the fields are those of the published schema, and what published definitions
// have besides.
#pragma once

#include <set>

#include "kernels/described/definition.hpp"

namespace tune::definition::t1 {

/// Knows no names.
inline const FormulaValue* nothing(std::string_view) {
  return nullptr;
}

/// In lower case, without spaces around: how names of kinds are compared.
std::string word(const JsonField& field);

/// ConfigurationSpace.
void read_space(const JsonField& root, Definition& definition);
/// KernelSpecification.Arguments and ReferenceArguments.
void read_arguments(const JsonField& kernel, Definition& definition);
/// KernelSpecification's sizes of grid and block; after the arguments.
void read_launch(const JsonField& kernel, Definition& definition);
/// Budget and Search.
void read_run(const JsonField& root, Definition& definition);
/// One note that names the fields that were given and mean nothing here.
void note_unread(const JsonField& root, Definition& definition);

/// Says once why the definition cannot be run; its space can be shown all the same.
void refuse(Definition& definition, const JsonField& place, const std::string& reason);

}  // namespace tune::definition::t1
