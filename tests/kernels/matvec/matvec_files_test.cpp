// SPDX-License-Identifier: Apache-2.0
// Files of matvec: what is written is read again, and what is no such file is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "kernels/matvec/model/files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "kernels/matvec/problem.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

namespace fs = std::filesystem;

Instance file_instance(const std::string& size, const std::string& op, const std::string& type = "float") {
  const std::vector<std::pair<std::string, Value>> settings = {{"op", op}, {"type", type}};
  return make_instance(make_matvec()->info(), size, settings);
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void expect_equal(const TensorSet& a, const TensorSet& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_EQ(tensor.extents(), b.find(name)->second.extents());
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), b.find(name)->second.bytes())) << name;
  }
}

class MatvecFilesTest : public ::testing::Test {
 protected:
  tune::testing::TemporaryFolder folder;
  fs::path file = folder.path() / "a.bin";
};

TEST_F(MatvecFilesTest, AreReadAsTheyWereWritten) {
  const ProblemFiles& files = matvec_files();
  for (const char* op : {"n", "t", "ata"}) {
    const Instance instance = file_instance("7x5", op);
    const TensorSet inputs = matvec_inputs(matvec_job(instance), 4);
    files.write_inputs(file, instance, inputs);
    EXPECT_EQ(files.extents(file, file_instance("1x1", op)), instance.extents);
    expect_equal(files.read_inputs(file, instance), inputs);
    EXPECT_FALSE(fs::exists(file.string() + ".part"));
  }
}

// Byte by byte: rows, columns, zeros, the matrix row after row, the vector.
TEST_F(MatvecFilesTest, LieAsDocumented) {
  const Instance instance = file_instance("3x2", "ata");
  const TensorSet inputs = matvec_inputs(matvec_job(instance), 4);
  matvec_files().write_inputs(file, instance, inputs);
  const std::string bytes = contents(file);
  ASSERT_EQ(bytes.size(), 16U + 4 * (6 + 2));
  EXPECT_EQ(bytes.substr(0, 16), std::string("\3\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0", 16));
  float values[8];
  std::memcpy(values, bytes.data() + 16, sizeof values);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values[i], inputs.at("a").as<float>()[i]);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(values[6 + i], inputs.at("x").as<float>()[i]);
}

TEST_F(MatvecFilesTest, ThatAreNoneAreRefused) {
  const Instance instance = file_instance("3x2", "ata");
  matvec_files().write_inputs(file, instance, matvec_inputs(matvec_job(instance), 4));
  const std::string whole = contents(file);
  const auto refused = [&](const std::function<void(std::string&)>& spoil) {
    std::string bytes = whole;
    spoil(bytes);
    put(file, bytes);
    try {
      matvec_files().extents(file, instance);
      matvec_files().read_inputs(file, instance);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(file.string()), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](std::string&) {}));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes.pop_back(); }));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes += "1234"; }));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes.resize(9); }));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes.clear(); }));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes[0] = 0; }));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes[7] = '\x80'; }));
  EXPECT_TRUE(refused([](std::string& bytes) { bytes[12] = 1; }));
  EXPECT_TRUE(refused([](std::string& bytes) {
    const float bad = std::numeric_limits<float>::infinity();
    std::memcpy(bytes.data() + 24, &bad, sizeof bad);
  }));
  EXPECT_THROW(matvec_files().extents(folder.path() / "missing", instance), Error);
  EXPECT_THROW(matvec_files().extents(folder.path(), instance), UsageError);
  put(file, whole);
  EXPECT_THROW(matvec_files().extents(file, file_instance("3x2", "ata", "double")), UsageError);
  EXPECT_THROW(matvec_files().read_inputs(file, file_instance("2x3", "ata")), UsageError);
  EXPECT_THROW(matvec_files().read_outputs(file, instance), UsageError);
}

TEST_F(MatvecFilesTest, ThatCannotBeWrittenAreErrors) {
  const Instance instance = file_instance("300x200", "n");
  const TensorSet inputs = matvec_inputs(matvec_job(instance), 4);
  EXPECT_THROW(matvec_files().write_inputs(folder.path() / "none" / "a", instance, inputs), Error);
  if (fs::exists("/dev/full")) {
    EXPECT_THROW(matvec_files().write_inputs("/dev/full", instance, inputs), Error);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
  }
}

// Whatever a file holds: sums of one sign, one element after another, stay within; a missing term does not.
TEST_F(MatvecFilesTest, ToleranceIsForAnyNumbers) {
  const MatvecJob job = matvec_job(file_instance("200x5000", "ata"));
  for (const float shift : {0.0F, 1.0F, 1000.0F}) {
    TensorSet inputs = matvec_inputs(job, 2);
    for (auto& [name, tensor] : inputs)
      for (float& value : tensor.as<float>()) value += shift;
    const Tolerance tolerance = matvec_files().tolerance(file_instance("200x5000", "ata"), inputs);
    const TensorSet reference = matvec_reference(job, inputs);
    const auto a = inputs.at("a").as<float>(), x = inputs.at("x").as<float>();
    double worst = 0, missing = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      float sum = 0;
      for (std::size_t j = 0; j < 5000; ++j) sum += a[i * 5000 + j] * x[j];
      worst = std::max(worst, std::abs(sum - reference.at("y").as<double>()[i]));
      missing = std::max(missing, static_cast<double>(std::abs(a[i * 5000 + 7] * x[7])));
    }
    EXPECT_LE(worst, tolerance.of("y").absolute) << shift;
    EXPECT_GT(missing, tolerance.of("y").absolute) << shift;
    EXPECT_GT(tolerance.of("z").absolute, 0);
  }
}

TEST_F(MatvecFilesTest, GiveAProblemItsInputs) {
  const Instance instance = file_instance("9x4", "ata"), other = file_instance("5x4", "ata");
  const TensorSet inputs = matvec_inputs(matvec_job(instance), 77);
  const auto problem = with_inputs(make_matvec(), instance, inputs);
  expect_equal(problem->inputs(instance, 1), inputs);
  expect_equal(problem->inputs(instance, 2), inputs);
  expect_equal(problem->inputs(other, 2), make_matvec()->inputs(other, 2));
  EXPECT_EQ(problem->tolerance(instance).absolute, matvec_files().tolerance(instance, inputs).absolute);
  EXPECT_EQ(problem->tolerance(other).absolute, make_matvec()->tolerance(other).absolute);
  EXPECT_EQ(find_files(*problem), &matvec_files());
}

}  // namespace
}  // namespace tune::kernels
