// SPDX-License-Identifier: Apache-2.0
// What a kernel's file says about one of its kernels.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/names_in_code.hpp"
#include "kernels/described/source/accesses.hpp"
#include "kernels/described/source/axes.hpp"
#include "kernels/described/source/conditions.hpp"
#include "kernels/described/source/launches.hpp"
#include "kernels/described/source/subscripts.hpp"

namespace tune::described {

struct ParameterOfKernel {
  std::string declared;  ///< `const real* __restrict__ x`
  std::string name;
  std::string
      type;  ///< `float`: of an element, by way of typedefs and macros; as written where it is not known
  bool is_pointer = false;
  bool is_const = false;  ///< its elements
  int line = 0;
  Accesses accesses = {};
  Subscripts subscripts = {};
};

struct ConstantArray {
  std::string type, name;
  std::vector<std::string> extents;  ///< as declared: the slowest first
};

struct TextureUse {
  std::string type;  ///< of an element; empty: not known
  int dimensions = 0;
};

struct KernelFacts {
  std::string name;
  std::string entry;  ///< with its namespaces
  int line = 0;
  std::vector<TemplateParameter> templates = {};
  std::vector<ParameterOfKernel> parameters = {};
  std::string launch_bounds = {};     ///< the threads of a block; empty: not given
  std::string collective_block = {};  ///< likewise of CUB's collectives
  std::array<Axis, 3> axes = {};
  std::string dynamic_shared = {};  ///< the type of an element; empty: none
  std::vector<ConstantArray> constants = {};
  std::map<std::string, TextureUse> textures = {};  ///< by the names of the arguments
  std::map<std::string, StructMembers, std::less<>> structs = {};
  std::vector<LaunchOfFile> launches = {};
  std::vector<std::string> kernels = {};  ///< all of the file
  /// All that the wanted name means, by line; the kernel is the first of them.
  std::vector<std::pair<int, std::string>> alike = {};
  /// Names of values that neither the file nor the language declares, in their order; not those of functions.
  std::vector<std::string> unknown_names = {};
  std::vector<std::string> unknown_elsewhere =
      {};  ///< likewise, in functions of the device that it does not use
  /// The first and the last lines of the kernel and of the functions that it calls.
  std::vector<std::pair<int, int>> lines = {};
  std::set<std::string, std::less<>> own_names = {};  ///< functions and types of the file that it uses
  std::set<std::string, std::less<>> words = {};      ///< of all that the kernel uses, macros too
  std::set<std::string, std::less<>> declared = {};   ///< names of values and types that the file declares
  std::set<std::string, std::less<>> shared_extents =
      {};                                            ///< names that alone are extents of `__shared__` arrays
  std::set<std::string, std::less<>> retyping = {};  ///< parameters that change the types of arguments
  int components = 1;  ///< of the longest vectors, where the type of an array follows a parameter

  /// The arrays that it reads, constant memory too.
  std::set<std::string, std::less<>> arrays_read() const;
};

/// Returns the names of values and types that a text declares; it need not be one that compiles.
std::set<std::string, std::less<>> declared_in(const std::string& text);

/// Returns the facts about a kernel, the first without a name. Throws UsageError where there is none, which
/// names the kernels with their `places`.
KernelFacts read_kernel_source(const Branches& branches, const std::string& file_name,
                               const std::string& kernel, const std::vector<KernelPlace>& places);

/// Returns the kernels that a source defines, by line, with their namespaces. Other branches of conditions
/// than those of the source's own macros do not count.
std::vector<std::pair<int, std::string>> kernels_in(const std::string& text);

/// Adds what a kernel does under other values of macros, and generalises types that differ: `float` where one
/// is `float4`.
void add_facts(const KernelFacts& other, KernelFacts& facts);

}  // namespace tune::described
