// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/context.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace tune::emulator {
namespace {

/// Two contexts that give each other turns; the portable one has no other test on x86-64.
template<class Tested>
class ContextTest : public ::testing::Test {};

#if defined(__x86_64__)
using Contexts = ::testing::Types<PortableContext, FastContext>;
#else
using Contexts = ::testing::Types<PortableContext>;
#endif
TYPED_TEST_SUITE(ContextTest, Contexts);

template<class Tested>
struct Talk {
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  Tested main, one, other;
  std::unique_ptr<char[]> stack_one = std::make_unique<char[]>(bytes);
  std::unique_ptr<char[]> stack_other = std::make_unique<char[]>(bytes);
  std::string output;
  double sum = 0;

  static void first(void* talk) {
    auto& self = *static_cast<Talk*>(talk);
    double kept = 1.5;
    for (int i = 0; i < 3; ++i) {
      self.output += static_cast<char>('a' + i);
      self.one.switch_to(self.other);
      kept *= 2;
    }
    self.sum += kept;
    self.one.switch_to(self.main);
  }
  static void second(void* talk) {
    auto& self = *static_cast<Talk*>(talk);
    // An address that must be aligned for SSE shows a stack that is not.
    alignas(16) std::array<double, 2> local = {0.25, 0.5};
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(local.data()) % 16, 0U);
    for (int i = 0;; ++i) {
      self.output += static_cast<char>('0' + i);
      self.sum += local[0];
      self.other.switch_to(self.one);
    }
  }
};

TYPED_TEST(ContextTest, TurnsKeepWhatTheyHad) {
  Talk<TypeParam> talk;
  talk.one.prepare(talk.stack_one.get(), Talk<TypeParam>::bytes, Talk<TypeParam>::first, &talk);
  talk.other.prepare(talk.stack_other.get(), Talk<TypeParam>::bytes, Talk<TypeParam>::second, &talk);
  talk.main.switch_to(talk.one);
  EXPECT_EQ(talk.output, "a0b1c2");
  EXPECT_EQ(talk.sum, 12 + 0.75);
}

}  // namespace
}  // namespace tune::emulator
