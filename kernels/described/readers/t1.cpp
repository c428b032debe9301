// SPDX-License-Identifier: Apache-2.0
// The field's exchange format for definitions (T1 of the FAIR benchmark suite of the autotuning community),
// with the fields that published definitions have besides: Default, GridDivX, ProblemSize, MemType, Output.
#include "kernels/described/readers/t1.hpp"

#include <cctype>
#include <cmath>
#include <sstream>

#include "tuner/base/format.hpp"

namespace tune::definition {
namespace t1 {

std::string word(const JsonField& field) {
  std::string text;
  for (const char c : field.text())
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void refuse(Definition& definition, const JsonField& place, const std::string& reason) {
  if (!definition.unusable.empty()) return;
  try {
    place.fail(reason);
  } catch (const std::exception& error) {
    definition.unusable = error.what();
  }
}

}  // namespace t1

namespace {

void read_problem_size(const JsonField& size, Definition& definition) {
  FormulaValue all = size.evaluated(t1::nothing);
  if (!all.is_list()) all = FormulaValue::List{all};
  if (all.list().empty() || all.list().size() > 3) size.fail("expected one to three extents");
  for (std::size_t i = 0; i < all.list().size(); ++i) {
    const FormulaValue& extent = all.list()[i];
    const double real = extent.is_number() ? extent.real() : 0;
    if (!(real >= 1) || real != std::floor(real)) size.fail("expected positive whole numbers");
    definition.extents.push_back({std::string(1, static_cast<char>('x' + i)), format("ProblemSize[{}]", i),
                                  static_cast<std::int64_t>(real)});
  }
}

/// Options of other compilers and for the host, which a compiler of kernels at run time does not know: it
/// optimises anyway, and the architecture is the device's.
bool for_others(const std::string& option) {
  for (const char* const start : {"-O",
                                  "--optimize",
                                  "-arch",
                                  "--gpu-architecture",
                                  "-gencode",
                                  "--generate-code",
                                  "-code",
                                  "-Xcompiler",
                                  "-Wall",
                                  "-Wextra",
                                  "-fopenmp",
                                  "-march",
                                  "-ccbin",
                                  "-x",
                                  "-cl-",
                                  "-lm",
                                  "-m64",
                                  "-ptx",
                                  "--ptx",
                                  "-cubin",
                                  "--expt-",
                                  "-expt-",
                                  "--extended-lambda",
                                  "-extended-lambda"})
    if (option.starts_with(start)) return true;
  return option == "-g" || option == "-t" || option.starts_with("-l") != option.starts_with("-lineinfo");
}

/// Whether its value is the next option.
bool takes_value(const std::string& option) {
  for (const char* const name : {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code",
                                 "-Xcompiler", "-ccbin", "-x", "-t"})
    if (option == name) return true;
  return false;
}

void read_options(const JsonField& options, Definition& definition) {
  std::vector<std::string> all;
  for (const JsonField& option : options.one_or_more()) {
    std::istringstream parts(option.text());
    for (std::string part; parts >> part;) all.push_back(part);
  }
  std::string dropped;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!for_others(all[i])) {
      definition.kernel.options.push_back(all[i]);
      continue;
    }
    dropped += (dropped.empty() ? "" : " ") + all[i];
    if (takes_value(all[i]) && i + 1 < all.size()) dropped += " " + all[++i];
  }
  if (!dropped.empty()) definition.notes.push_back(format("CompilerOptions: {} not used", dropped));
}

void read_kernel(const JsonField& kernel, Definition& definition) {
  if (const auto language = kernel.find("Language"); language && t1::word(*language) != "cuda")
    definition.unusable = format("{}: kernels in {} cannot be compiled here, only CUDA",
                                 definition.file.string(), language->text());
  if (const auto size = kernel.find("ProblemSize")) read_problem_size(*size, definition);
  definition.kernel.path = definition.file.parent_path() / kernel.at("KernelFile").text();
  if (const auto options = kernel.find("CompilerOptions")) read_options(*options, definition);
  t1::read_arguments(kernel, definition);
  t1::read_launch(kernel, definition);
}

}  // namespace

Definition read_t1(const JsonField& root) {
  Definition definition;
  definition.file = root.file();
  t1::read_space(root, definition);
  const auto kernel = root.find("KernelSpecification");
  const auto general = root.find("General");
  auto name = general ? general->find("BenchmarkName") : std::nullopt;
  if (!name && kernel) name = kernel->at("KernelName");
  definition.name = name ? name->text() : root.file().stem().string();
  definition.summary = format("{} of {}", definition.name, root.file().filename().string());
  if (kernel)
    read_kernel(*kernel, definition);
  else
    definition.unusable =
        format("{}: there is no KernelSpecification: nothing can be run", root.file().string());
  t1::read_run(root, definition);
  t1::note_unread(root, definition);
  return definition;
}

}  // namespace tune::definition
