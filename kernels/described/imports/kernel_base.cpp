// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/kernel_base.hpp"

#include <algorithm>

#include "kernels/described/source/c_expression.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {

KernelBase read_kernel_base(const std::string& file_name, KernelText text, const std::string& entry,
                            const std::vector<std::pair<std::string, std::string>>& macros,
                            const std::function<UndefinedNames(const KernelText&)>& compiler) {
  KernelBase base;
  std::string before;
  for (const auto& [name, value] : macros)
    before += format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  text.source.text.insert(0, before);
  try {
    const Examination examination(file_name, text, entry.substr(entry.rfind(':') + 1),
                                  compiler ? compiler(text) : UndefinedNames());
    base.draft = draft_of_kernel(file_name, examination);
    base.facts = examination.facts();
    base.macros = examination.macros();
    const Guesses guesses = examination.guesses();
    base.extents = guesses.extents();
    base.is_whole = std::ranges::any_of(guesses.sizes(), &GuessedSize::is_whole);
  } catch (const UsageError& error) {
    base.why_not = error.what();
  }
  return base;
}

std::vector<std::pair<std::string, std::string>> macros_of_sizes(const KernelBase& kernel,
                                                                 const std::vector<ScriptSize>& sizes) {
  constexpr std::int64_t least = 16;  // smaller numbers are equal by chance
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [name, body] : kernel.macros) {
    const auto value = number_of(without_needless_brackets(body));
    if (!value || *value < least || !kernel.facts.words.contains(name)) continue;
    std::vector<const ScriptSize*> equal;
    for (const ScriptSize& size : sizes)
      if (size.value == *value) equal.push_back(&size);
    if (equal.empty()) continue;
    // Of several, the one along the same axis.
    const auto extent = std::ranges::find(kernel.extents, name);
    const auto axis = static_cast<std::size_t>(extent - kernel.extents.begin());
    const bool is_along = extent != kernel.extents.end() && axis < equal.size();
    all.emplace_back(name, equal[is_along ? axis : 0]->name);
  }
  return all;
}

}  // namespace tune::described
