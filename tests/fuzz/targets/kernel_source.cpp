// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "kernels/described/declared_types.hpp"
#include "kernels/described/opencl.hpp"
#include "kernels/described/redefinition.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"
#include "tuner/plan/includes.hpp"

// Kernel files as they are read without a compiler: the entry in the first line, the text behind it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  std::string_view all = tune::testing::bytes_of(data, size);
  const std::string entry(tune::testing::next_part(all)), text(all);
  includes_of(text);
  for (const auto& declaration : described::declarations_of(text, entry))
    for (const std::string& parameter : declaration.parameters) {
      described::name_of_parameter(parameter);
      described::type_of_parameter(parameter);
    }
  described::replaced(text, {{"BLOCK", "32"}, {"n", ""}});
  std::string changed = text;
  described::redefine(changed, {{"BLOCK", "32"}, {"N", "1"}});
  try {
    described::KernelText opencl{{"k.cl", text}, {}};
    described::translate_opencl(opencl);
  } catch (const Error&) {
  }
  for (const std::string& kernel : {std::string(), entry}) try {
      described::first_definition("k.cu", {{"k.cu", text}, {}}, kernel);
    } catch (const Error&) {
    }
  try {
    const described::KernelText read = described::read_kernel_text(tune::testing::written("k.cu", text),
                                                                   {tune::testing::fuzz_folder().path()}, {});
    described::find_redefinition(read, {{"BLOCK", ""}, {entry, "1"}});
    described::words_in(read.source.text);
    described::declared_types(described::without_inactive(read, {{"BLOCK", ""}}, {entry}));
  } catch (const Error&) {
  }
  return 0;
}
