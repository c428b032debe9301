// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "kernels/described/imports/import.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {

/// Tests that import scripts of Kernel Tuner from texts.
class ImportOfScripts : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Language language : {Language::cuda, Language::python})
      if (const std::string reason = why_no_parser(language); !reason.empty()) GTEST_SKIP() << reason;
  }

  Import imported(const std::string& script, const std::string& kernel = {}) const {
    ImportRequest request{folder_ / "tune_it.py", script, kernel, "own.cu"};
    request.name_of = [](const std::filesystem::path& path) { return path.filename().string(); };
    request.read = [this](const std::string& name) -> std::optional<std::string> {
      std::ifstream file(folder_ / name);
      if (!file) return std::nullopt;
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    return import_kernel_tuner(request);
  }

  /// The definition, read back as a problem.
  DescribedProblem problem(const Import& import) const {
    if (import.kernel) std::ofstream(folder_ / import.kernel->name) << import.kernel->text;
    std::ofstream(folder_ / "own.json") << write_draft(import.draft).json;
    return DescribedProblem(read_definition(folder_ / "own.json"));
  }

  static std::string argument(const Import& import, const std::string& name) {
    for (const DraftObject& one : import.draft.arguments)
      if (one.name == name) return one.json();
    return {};
  }

  static std::string launch(const Import& import, const std::string& name) {
    for (const DraftField& field : import.draft.launches.front())
      if (field.name == name) return field.json;
    return {};
  }

  const tune::testing::TemporaryFolder folder_ = {};
};

inline const std::string script_head =
    "import numpy as np\nfrom kernel_tuner import tune_kernel, run_kernel\nfrom collections import OrderedDict\n";
inline const std::string add_kernel =
    "source = '''__global__ void add(float* c, const float* a, int n) {\n  int i = blockIdx.x * block_size_x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i];\n}\n'''\n";

}  // namespace tune::described
