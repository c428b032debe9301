// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/cache/examples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "tuner/base/content_hash.hpp"
#include "tuner/cache/cache_folder.hpp"

namespace tune::cache::testing {
namespace {

/// Any bytes: a compiler's messages need not be UTF-8.
std::string random_text(std::mt19937_64& random, std::size_t max) {
  std::string text(random() % (max + 1), '\0');
  for (char& letter : text) letter = static_cast<char>(random() % 256);
  return text;
}

KernelResources random_resources(std::mt19937_64& random) {
  const auto number = [&] { return static_cast<int>(random() % 100'000); };
  KernelResources resources;
  resources.registers = number();
  resources.spill_store_bytes = number();
  resources.spill_load_bytes = number();
  resources.local_bytes = number();
  resources.static_shared_memory = number();
  resources.dynamic_shared_memory = number();
  resources.threads = number();
  resources.max_threads = number();
  resources.blocks_per_multiprocessor = number();
  resources.occupancy = std::uniform_real_distribution<double>()(random);
  resources.limiter = random_text(random, 20);
  return resources;
}

}  // namespace

Binary random_binary(std::uint64_t seed, std::size_t image_bytes) {
  std::mt19937_64 random(seed);
  Binary binary;
  binary.image.resize(image_bytes);
  for (std::byte& byte : binary.image) byte = static_cast<std::byte>(random() % 256);
  for (std::uint64_t i = 0; i < seed % 3; ++i) {
    const std::string entry = "kernel<" + std::to_string(i) + ">";
    binary.symbols[entry] = random_text(random, 30);
    binary.resources[entry] = random_resources(random);
  }
  binary.log = random_text(random, 400);
  binary.compile_seconds = std::uniform_real_distribution<double>()(random);
  binary.hash = content_hash(std::span<const std::byte>(binary.image));
  return binary;
}

void expect_equal(const Binary& left, const Binary& right) {
  EXPECT_EQ(left.image, right.image);
  EXPECT_EQ(left.symbols, right.symbols);
  EXPECT_EQ(left.log, right.log);
  EXPECT_EQ(left.compile_seconds, right.compile_seconds);
  EXPECT_EQ(left.hash, right.hash);
  ASSERT_EQ(left.resources.size(), right.resources.size());
  for (const auto& [entry, one] : left.resources) {
    ASSERT_TRUE(right.resources.contains(entry)) << entry;
    const KernelResources& other = right.resources.at(entry);
    EXPECT_EQ(one.registers, other.registers);
    EXPECT_EQ(one.spill_store_bytes, other.spill_store_bytes);
    EXPECT_EQ(one.spill_load_bytes, other.spill_load_bytes);
    EXPECT_EQ(one.local_bytes, other.local_bytes);
    EXPECT_EQ(one.static_shared_memory, other.static_shared_memory);
    EXPECT_EQ(one.dynamic_shared_memory, other.dynamic_shared_memory);
    EXPECT_EQ(one.threads, other.threads);
    EXPECT_EQ(one.max_threads, other.max_threads);
    EXPECT_EQ(one.blocks_per_multiprocessor, other.blocks_per_multiprocessor);
    EXPECT_EQ(one.occupancy, other.occupancy);
    EXPECT_EQ(one.limiter, other.limiter);
  }
}

CompileRequest example_request() {
  return {.source = {"lib/kernel.cu", "__global__ void kernel() {}"},
          .headers = {{"a.cuh", "int a;"}, {"b.cuh", "int b;"}},
          .defines = {{"BLOCK", "32"}, {"ITEMS", "4"}},
          .options = {"--maxrregcount=32", "--use_fast_math"},
          .entries = {"kernel", "other<1>"}};
}

std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none))
    if (file.path().string().ends_with(entry_suffix)) files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Result<Binary> InventedCompiler::compile(const CompileRequest& request) const {
  ++compiled;
  if (failure) return tl::unexpected(*failure);
  return random_binary(std::hash<std::string>()(content_of(request)));
}

}  // namespace tune::cache::testing
