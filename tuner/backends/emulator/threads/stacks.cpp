// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/stacks.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t stride = page + Stacks::bytes;

}  // namespace

Stacks::Stacks(int count) {
  map(count);
}

Stacks::~Stacks() {
  munmap(memory_, total_);
}

void Stacks::provide(int count) {
  if (count > count_) {
    munmap(memory_, total_);
    memory_ = nullptr;
    map(count);
  }
  give_back_all();
}

void Stacks::map(int count) {
  count_ = count;
  total_ = static_cast<std::size_t>(count) * stride;
  void* const memory =
      mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    count_ = 0;
    total_ = 0;
    throw Error("no memory for the stacks of a kernel's threads: raise the limit (ulimit -v)");
  }
  memory_ = static_cast<char*>(memory);
  for (int i = 0; i < std::min(count, guarded); ++i)
    if (mprotect(stack(i) - page, page, PROT_NONE) != 0)
      break;  // then a thread without a guard: still correct
  give_back_all();
}

char* Stacks::stack(int number) const {
  return memory_ + static_cast<std::size_t>(number) * stride + page;
}

std::size_t Stacks::usable(int number) {
  return bytes - static_cast<std::size_t>(number % 16) * 256;
}

bool Stacks::contains(const void* address) const {
  const auto* const at = static_cast<const char*>(address);
  return at >= memory_ && at < memory_ + total_;
}

bool Stacks::in_guard(const void* address) const {
  return contains(address) &&
         static_cast<std::size_t>(static_cast<const char*>(address) - memory_) % stride < page;
}

int Stacks::take() {
  const int number = free_.back();
  free_.pop_back();
  return number;
}

void Stacks::give_back_all() {
  free_.clear();
  for (int i = count_; i-- > 0;) free_.push_back(i);
}

}  // namespace tune::emulator
