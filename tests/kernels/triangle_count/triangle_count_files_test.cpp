// SPDX-License-Identifier: Apache-2.0
// Files of triangle_count: lists of edges, Matrix Market files, and what is neither.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "kernels/registry.hpp"
#include "kernels/triangle_count/model/files.hpp"
#include "kernels/triangle_count/model/graph.hpp"
#include "kernels/triangle_count/model/reference.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

using ::testing::HasSubstr;

class TriangleCountFilesTest : public ::testing::Test {
 protected:
  tune::testing::TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "graph.txt";
  Instance instance = make_instance(make_triangle_count()->info(), "3x3", {});

  void write(const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

  /// `5 vertices, 4 edges, 1 triangles; remark`, or the message.
  std::string counted(const std::string& text) {
    write(text);
    try {
      instance.extents = triangle_files().extents(file, instance);
      const TensorSet inputs = triangle_files().read_inputs(file, instance);
      const std::string remark = triangle_files().remark(file);
      const double count = triangle_reference(triangle_job(instance), inputs).at("count").as<double>()[0];
      return instance.size() + ": " + std::to_string(static_cast<int>(count)) +
             (remark.empty() ? "" : remark.substr(remark.find(": ")));
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file.string()));
      return error.what();
    }
  }
};

TEST_F(TriangleCountFilesTest, ListEdges) {
  EXPECT_EQ(counted("# a comment\n0 1\n1\t2\r\n2 0 17 text\n\n3,4\n"), "5x4: 1");
  EXPECT_EQ(counted("0 1\n1 0\n1 2\n2 0\n2 2\n2 0"), "3x3: 1: 1 loops and 2 repeated edges are left out");
  EXPECT_EQ(counted("6 6\n"), "7x0: 0: 1 loops and 0 repeated edges are left out");
  EXPECT_EQ(counted("0 0"), "1x0: 0: 1 loops and 0 repeated edges are left out");
}

TEST_F(TriangleCountFilesTest, AreMatrices) {
  const std::string header = "%%MatrixMarket matrix coordinate ";
  EXPECT_EQ(counted(header + "pattern symmetric\n% made\n5 5 3\n2 1\n3 1\n3 2\n"), "5x3: 1");
  EXPECT_EQ(counted(header + "real general\n3 3 4\n1 2 .5\n2 1 .5\n3 3 1e3\n1 3 -1\n"),
            "3x2: 0: 1 loops and 1 repeated edges are left out");
  EXPECT_EQ(counted(header + "pattern symmetric\n4 4 0\n"), "4x0: 0");
}

TEST_F(TriangleCountFilesTest, AreReadAsTheyWereWritten) {
  for (const char* size : {"40x200", "9x1", "1x1"}) {
    instance = make_instance(make_triangle_count()->info(), size, {});
    const TriangleJob job = triangle_job(instance);
    const TensorSet inputs = triangle_inputs(job, 3);
    triangle_files().write_inputs(file, instance, inputs);
    EXPECT_EQ(triangle_files().extents(file, instance)[1].second, job.edges);
    const TensorSet again = triangle_files().read_inputs(file, instance);
    for (const char* name : {"offsets", "neighbours"})
      EXPECT_TRUE(std::ranges::equal(inputs.at(name).bytes(), again.at(name).bytes())) << name;
  }
  TensorSet outputs;
  outputs.emplace("count", HostTensor(ElementType::u64, {1}));
  outputs.at("count").as<std::uint64_t>()[0] = 1234567890123456789;
  triangle_files().write_outputs(file, instance, outputs);
  EXPECT_EQ(triangle_files().read_outputs(file, instance).at("count").as<std::uint64_t>()[0],
            1234567890123456789U);
}

TEST_F(TriangleCountFilesTest, ThatAreNoneAreRefused) {
  EXPECT_THAT(counted("0 1\nx 2\n"), HasSubstr(":2: a line of two vertices is expected, not 'x 2'"));
  EXPECT_THAT(counted("0 -1\n"), HasSubstr(":1: a line of two vertices"));
  EXPECT_THAT(counted("0\n"), HasSubstr(":1: a line of two vertices"));
  EXPECT_THAT(counted("0 1.5\n"), HasSubstr(":1: a line of two vertices"));
  EXPECT_THAT(counted("0 4294967296\n"), HasSubstr("vertices are 0 to 2147483645"));
  EXPECT_THAT(counted("0 2147483645\n"), HasSubstr("without gaps"));
  EXPECT_THAT(counted("# nothing\n"), HasSubstr("has no vertices"));
  EXPECT_THAT(counted("%%MatrixMarket matrix array real general\n2 2\n"), HasSubstr("matrix coordinate"));
  const std::string header = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  EXPECT_THAT(counted(header + "3 4 1\n1 2\n"), HasSubstr(":2: the matrix is not square"));
  EXPECT_THAT(counted(header + "3 3 2\n1 2\n"), HasSubstr("has 1 entries"));
  EXPECT_THAT(counted(header + "3 3 1\n1 4\n"), HasSubstr(":3: 4 is no vertex: they are 1 to 3"));
  EXPECT_THAT(counted(header), HasSubstr("the line of sizes is missing"));
  write("0 1\n");
  EXPECT_THROW(triangle_files().read_inputs(file, make_instance(make_triangle_count()->info(), "3x3", {})),
               UsageError);
  std::filesystem::remove(file);
  EXPECT_THROW(triangle_files().extents(file, instance), UsageError);
}

}  // namespace
}  // namespace tune::kernels
