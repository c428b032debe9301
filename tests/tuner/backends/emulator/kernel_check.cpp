// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/backends/emulator/kernel_check.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tune::emulator::testing {

KernelCheck::KernelCheck(const std::string& source, std::uint32_t threads, std::uint32_t blocks,
                         std::uint64_t count) {
  if (count == 0) count = std::uint64_t{threads} * blocks;
  plan.compile.source = {"k.cu", source};
  plan.compile.entries = {"k"};
  Launch launched;
  launched.entry = "k";
  launched.grid = {blocks, 1, 1};
  launched.block = {threads, 1, 1};
  launched.arguments = {ScalarArgument{static_cast<std::int32_t>(count)}};
  plan.launches = {launched};
  with_buffer("in", ElementType::f32, count, BufferRole::input);
  with_buffer("out", ElementType::f32, count, BufferRole::output);
}

KernelCheck& KernelCheck::with_buffer(const std::string& name, ElementType type, std::uint64_t elements,
                                      BufferRole role) {
  plan.buffers.push_back({name, type, Layout::dense({elements}), role});
  auto& arguments = launch().arguments;
  arguments.insert(arguments.end() - 1, BufferArgument{name});
  if (role != BufferRole::input) return *this;
  HostTensor tensor(type, {elements});
  for (std::uint64_t i = 0; i < elements; ++i) {
    switch (type) {
      case ElementType::f32:
        tensor.as<float>()[i] = static_cast<float>(i + 1);
        break;
      case ElementType::f64:
        tensor.as<double>()[i] = static_cast<double>(i + 1);
        break;
      case ElementType::i64:
        tensor.as<std::int64_t>()[i] = static_cast<std::int64_t>(i + 1);
        break;
      case ElementType::u8:
        tensor.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i + 1);
        break;
      default:
        tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(i + 1);
    }
  }
  expected.inputs.insert_or_assign(name, std::move(tensor));
  return *this;
}

KernelCheck& KernelCheck::expecting(const std::vector<double>& values) {
  HostTensor tensor(ElementType::f64, {values.size()});
  std::copy(values.begin(), values.end(), tensor.as<double>().begin());
  expected.reference.insert_or_assign("out", std::move(tensor));
  expected.tolerance.absolute = 1e-6;
  return *this;
}

KernelCheck& KernelCheck::flavour(Flavour chosen) {
  options.flavour = chosen;
  return *this;
}

CheckVerdict KernelCheck::verdict() const {
  return check(plan, expected, options);
}

std::string KernelCheck::report_of(const CheckVerdict& found) {
  std::string text = found.not_emulated + (found.cannot_run ? found.cannot_run->detail : "");
  for (const Finding& finding : found.findings) text += finding.text() + "\n";
  return text;
}

std::string KernelCheck::report() const {
  return report_of(verdict());
}

void CleanKernels::add(const KernelCheck& check, const std::string& name) {
  all_.push_back(
      {{{{"", check.plan, std::make_shared<const ReferenceData>(check.expected)}}}, check.options, name});
}

void CleanKernels::expect_clean() {
  for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
    std::vector<One> some;
    for (const One& one : all_)
      if (one.options.flavour == flavour) some.push_back(one);
    if (some.empty()) continue;
    CheckOptions options = some.front().options;
    options.batch = some.size();
    options.workers = 1;
    std::size_t seen = 0;
    check(
        some.size(), [&](std::size_t number) { return some[number].job; }, options,
        [&](std::size_t number, const CheckVerdict& verdict) {
          EXPECT_EQ(KernelCheck::report_of(verdict), "") << some[number].name;
          ++seen;
          return true;
        });
    EXPECT_EQ(seen, some.size());
  }
  all_.clear();
}

std::string report_of(const std::string& source, std::uint32_t threads, std::uint32_t blocks) {
  return KernelCheck(source, threads, blocks).report();
}

}  // namespace tune::emulator::testing
