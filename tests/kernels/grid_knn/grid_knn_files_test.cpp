// SPDX-License-Identifier: Apache-2.0
// Files of grid_knn: what is written is read again, and what is no such file is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "kernels/grid_knn/model/files.hpp"
#include "kernels/grid_knn/model/job.hpp"
#include "kernels/grid_knn/model/reference.hpp"
#include "kernels/registry.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

using ::testing::HasSubstr;

Instance knn_instance(const std::string& size, const std::string& self, std::int64_t dimensions = 3) {
  const std::vector<std::pair<std::string, Value>> settings = {
      {"self", self}, {"dimensions", dimensions}, {"k", 2}};
  return make_instance(make_grid_knn()->info(), size, settings);
}

void expect_same(const TensorSet& a, const TensorSet& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_EQ(tensor.extents(), b.at(name).extents());
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), b.at(name).bytes())) << name;
  }
}

class GridKnnFilesTest : public ::testing::Test {
 protected:
  tune::testing::TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "points.bin";

  std::string refusal(const Instance& instance, const std::function<void(std::string&)>& spoil) {
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    spoil(bytes);
    const std::filesystem::path spoiled = folder.path() / "spoiled.bin";
    std::ofstream(spoiled, std::ios::binary) << bytes;
    try {
      knn_files().extents(spoiled, instance);
      knn_files().read_inputs(spoiled, instance);
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(spoiled.string()));
      return error.what();
    }
    return "taken";
  }
};

TEST_F(GridKnnFilesTest, AreReadAsTheyWereWritten) {
  for (const char* self : {"none", "skip"})
    for (const int dimensions : {2, 3}) {
      const Instance instance =
          knn_instance(std::string("7x") + (*self == 'n' ? "5" : "7"), self, dimensions);
      const KnnJob job = knn_job(instance);
      const TensorSet inputs = knn_inputs(job, 4);
      knn_files().write_inputs(file, instance, inputs);
      EXPECT_EQ(knn_files().extents(file, knn_instance("1x1", self, dimensions)), instance.extents);
      expect_same(knn_files().read_inputs(file, instance), inputs);
      TensorSet outputs;
      outputs.emplace("indices", HostTensor(ElementType::i32, job.results()));
      outputs.emplace("distances", HostTensor(ElementType::f32, job.results()));
      outputs.at("indices").as<std::int32_t>()[3] = -1;
      outputs.at("distances").as<float>()[3] = std::numeric_limits<float>::infinity();
      knn_files().write_outputs(file, instance, outputs);
      expect_same(knn_files().read_outputs(file, instance), outputs);
    }
}

TEST_F(GridKnnFilesTest, ThatAreNoneAreRefused) {
  const Instance instance = knn_instance("7x5", "none");
  knn_files().write_inputs(file, instance, knn_inputs(knn_job(instance), 4));
  EXPECT_EQ(refusal(instance, [](std::string&) {}), "taken");
  EXPECT_THAT(refusal(instance, [](std::string& bytes) { bytes.pop_back(); }), HasSubstr("bytes long"));
  EXPECT_THAT(refusal(instance, [](std::string& bytes) { bytes.resize(9); }), HasSubstr("header"));
  EXPECT_THAT(refusal(instance, [](std::string& bytes) { bytes[8] = 4; }),
              HasSubstr("not a file of grid_knn"));
  EXPECT_THAT(refusal(instance, [](std::string& bytes) { bytes[8] = 2; }), HasSubstr("dimensions=2"));
  EXPECT_THAT(refusal(instance, [](std::string& bytes) { bytes[0] = 0; }), HasSubstr("from 1 to"));
  EXPECT_THAT(refusal(instance, [](std::string& bytes) { bytes[4] = 0; }), HasSubstr("self=skip"));
  const auto with = [](float value) {
    return [value](std::string& bytes) { std::memcpy(bytes.data() + 24, &value, sizeof value); };
  };
  EXPECT_THAT(refusal(instance, with(std::numeric_limits<float>::quiet_NaN())), HasSubstr("not a finite"));
  EXPECT_THAT(refusal(instance, with(-2e18F)), HasSubstr("at most 1e+18"));
  EXPECT_EQ(refusal(instance, with(-1e18F)), "taken");
  EXPECT_THROW(knn_files().read_inputs(file, knn_instance("7x6", "none")), UsageError);
  EXPECT_THROW(knn_files().read_inputs(file, knn_instance("7x7", "skip")), UsageError);
}

}  // namespace
}  // namespace tune::kernels
