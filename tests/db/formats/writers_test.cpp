// SPDX-License-Identifier: Apache-2.0
// Files that we write in other tuners' formats are read back as they were, and losses are reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "db/formats/file_format.hpp"
#include "db/formats/json_fields.hpp"
#include "db/formats/write.hpp"
#include "tests/db/formats/whole_text.hpp"
#include "tests/db/formats/written_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Evaluation measured(const Configuration& configuration, std::vector<double> samples) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  Measurement measurement;
  measurement.samples = std::move(samples);
  evaluation.outcome = std::move(measurement);
  evaluation.phases.compile = 0.5;
  evaluation.phases.verify = 0.25;
  evaluation.phases.measure = 0.125;
  return evaluation;
}

Evaluation failed(const Configuration& configuration, Phase phase) {
  Evaluation evaluation;
  evaluation.configuration = configuration;
  evaluation.outcome = fail(phase, "reason", "detail");
  return evaluation;
}

/// Odd times, every phase, values of every type, and a parameter that only some have.
replay::ThirdPartyRecord example() {
  replay::ThirdPartyRecord record;
  record.problem = "stencil3d";
  record.workload = "512x256x128 radius=2,type=float";
  record.device = "Invented \"H1\"";
  record.parameters = {"variant", "block_x", "fast", "scale", "loader"};
  const auto configuration = [](int block) {
    return Configuration{{"variant", "direct"}, {"block_x", block}, {"fast", true}, {"scale", 0.1}};
  };
  Configuration with_loader = configuration(1);
  with_loader.set("loader", "async");
  record.evaluations = {measured(with_loader, {1.0 / 3e3, 1.0 / 7e3, 0.1 + 0.2}),
                        measured(configuration(2), {1e-9 / 3})};
  for (int phase = 0; phase < 7; ++phase)
    record.evaluations.push_back(failed(configuration(10 + phase), static_cast<Phase>(phase)));
  for (std::size_t i = 0; i < record.evaluations.size(); ++i)
    record.recorded.push_back("2026-01-31T12:00:0" + std::to_string(i) + ".250Z");
  return record;
}

replay::ThirdPartyRecord read_back(const std::string& text) {
  replay::TextInMemory source(text);
  return replay::read_recorded_json(source, "name", "file", replay::Samples::keep);
}

/// The phase that each of the seven failures comes back as.
std::vector<Phase> phases_of(const replay::ThirdPartyRecord& record) {
  std::vector<Phase> phases;
  for (std::size_t i = 2; i < record.evaluations.size(); ++i)
    phases.push_back(record.evaluations[i].outcome.error().phase);
  return phases;
}

TEST(Writers, T4ComesBackExactly) {
  const replay::ThirdPartyRecord record = example();
  const WrittenText written = written_text(replay::t4_format(), record);
  const std::vector<std::string>& losses = written.file.losses;
  const replay::ThirdPartyRecord again = read_back(written.text);
  EXPECT_EQ(written.file.count, 9U);
  EXPECT_EQ(written.file.failures, 7U);
  EXPECT_EQ(again.format, "T4");
  EXPECT_EQ(again.problem, record.problem);
  EXPECT_EQ(again.workload, record.workload);
  EXPECT_EQ(again.device, record.device);
  EXPECT_EQ(again.recorded, record.recorded);
  ASSERT_EQ(again.evaluations.size(), record.evaluations.size());
  for (std::size_t i = 0; i < again.evaluations.size(); ++i) {
    const Evaluation& a = record.evaluations[i];
    const Evaluation& b = again.evaluations[i];
    EXPECT_EQ(a.configuration.entries(), b.configuration.entries());
    ASSERT_EQ(a.outcome.has_value(), b.outcome.has_value());
    if (a.outcome) {
      EXPECT_EQ(a.outcome->samples, b.outcome->samples);
    }
    EXPECT_EQ(a.phases.compile, b.phases.compile);
    EXPECT_EQ(a.phases.verify, b.phases.verify);
    EXPECT_EQ(a.phases.measure, b.phases.measure);
  }
  EXPECT_EQ(phases_of(again), (std::vector{Phase::constraint, Phase::compile, Phase::launch, Phase::launch,
                                           Phase::verify, Phase::timeout, Phase::launch}));
  EXPECT_THAT(losses, Contains("1 failures of phase resources are written as runtime"));
  EXPECT_THAT(losses, Contains("1 failures of phase crash are written as runtime"));
  EXPECT_THAT(losses, Not(Contains(HasSubstr("phase launch"))));
  EXPECT_THAT(losses, Contains(HasSubstr("8 configurations do not have all parameters")));
}

/// `tune replay` searches what `tune db export` writes of a problem with variants.
TEST(Writers, EveryFormatIsASpaceWhereAParameterIsAbsent) {
  for (const replay::FileFormat& file_format : replay::file_formats()) {
    if (file_format.write == nullptr) continue;
    const replay::ThirdPartyRecord record = example();
    const replay::RecordedSpace recorded =
        replay::space_of(read_back(written_text(file_format, record).text), "file");
    EXPECT_EQ(recorded.space.size(), record.evaluations.size());
    const auto value = [&](std::size_t i) { return recorded.evaluations[i].configuration["loader"]; };
    EXPECT_EQ(value(0), search::Value("async"));
    EXPECT_EQ(value(1), search::Value("none"));
  }
}

TEST(Writers, KernelTunerComesBackButForTheLastDigit) {
  const replay::ThirdPartyRecord record = example();
  const WrittenText written = written_text(replay::kernel_tuner_format(), record);
  const std::vector<std::string>& losses = written.file.losses;
  const replay::ThirdPartyRecord again = read_back(written.text);
  EXPECT_EQ(again.format, "Kernel Tuner");
  EXPECT_EQ(again.problem, record.problem);
  EXPECT_EQ(again.workload, "512x256x128");
  EXPECT_EQ(again.device, record.device);
  EXPECT_EQ(again.parameters, record.parameters);
  EXPECT_EQ(again.recorded, record.recorded);
  ASSERT_EQ(again.evaluations.size(), record.evaluations.size());
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& a = record.evaluations[i].outcome->samples;
    const auto& b = again.evaluations[i].outcome->samples;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t s = 0; s < a.size(); ++s) EXPECT_NEAR(b[s] / a[s], 1, 1e-15);
  }
  EXPECT_EQ(again.evaluations[0].configuration, record.evaluations[0].configuration);
  EXPECT_EQ(again.evaluations[1].configuration["loader"], search::Value("none"));
  EXPECT_EQ(phases_of(again), (std::vector{Phase::constraint, Phase::compile, Phase::launch, Phase::launch,
                                           Phase::launch, Phase::launch, Phase::launch}));
  EXPECT_THAT(losses, Contains(HasSubstr("radius=2,type=float")));
  EXPECT_THAT(losses, Contains(HasSubstr("'none'")));
}

TEST(Writers, KttComesBackWithOneTimeEach) {
  const replay::ThirdPartyRecord record = example();
  const WrittenText written = written_text(replay::ktt_format(), record);
  const std::vector<std::string>& losses = written.file.losses;
  const replay::ThirdPartyRecord again = read_back(written.text);
  EXPECT_EQ(again.format, "KTT");
  EXPECT_EQ(again.problem, record.problem);
  EXPECT_EQ(again.device, record.device);
  ASSERT_EQ(again.evaluations.size(), record.evaluations.size());
  for (std::size_t i = 0; i < again.evaluations.size(); ++i)
    EXPECT_EQ(again.evaluations[i].configuration.entries(), record.evaluations[i].configuration.entries());
  EXPECT_EQ(again.evaluations[0].outcome->samples, std::vector{1.0 / 3e3});  // the median
  EXPECT_EQ(again.recorded.front(), record.recorded.back());
  EXPECT_EQ(phases_of(again), (std::vector{Phase::compile, Phase::compile, Phase::resources, Phase::launch,
                                           Phase::verify, Phase::launch, Phase::launch}));
  EXPECT_THAT(losses, Contains("1 failures of phase constraint are written as CompilationFailed"));
  EXPECT_THAT(losses, Contains(HasSubstr("single samples are left out")));
}

// As KTT 2.2 writes it, in alphabetical order, with an entry of each state.
constexpr const char* ktt =
    R"({"Metadata": {"ComputeApi": "CUDA", "Device": "NVIDIA A100", "GlobalSizeType": "CUDA",
 "KttVersion": "2.2.0", "Platform": "NVIDIA CUDA", "TimeUnit": "Microseconds", "Timestamp": "2025-02-03 10:11:12.345678 UTC"},
"Results": [
{"CompilationOverhead": 1500.0, "ComputationResults": [{"Duration": 12.5, "KernelFunction": "gemm"}], "Configuration":
 [{"Name": "MWG", "Value": 16, "ValueType": "UnsignedInt"}, {"Name": "S", "Value": 0.5, "ValueType": "Double"}],
 "KernelName": "gemm", "Status": "Ok", "TotalDuration": 12.5, "ValidationOverhead": 2},
{"Configuration": [{"IsDouble": false, "Name": "MWG", "Value": 32}, {"IsDouble": true, "Name": "S", "Value": 1.5}],
 "KernelName": "gemm", "Status": "DeviceLimitsExceeded", "TotalDuration": 0.0},
{"Configuration": [{"Name": "MWG", "Value": 64}, {"Name": "S", "Value": 1.5}],
 "KernelName": "gemm", "Status": "Ok", "TotalDuration": 18446744073709551615.0}]})";

TEST(Ktt, ResultsAreARecord) {
  const replay::ThirdPartyRecord record = read_back(ktt);
  EXPECT_EQ(record.problem, "gemm");
  EXPECT_EQ(record.device, "NVIDIA A100");
  ASSERT_EQ(record.evaluations.size(), 3U);
  EXPECT_DOUBLE_EQ(record.evaluations[0].outcome->time(), 12.5e-6);
  EXPECT_DOUBLE_EQ(record.evaluations[0].phases.compile, 1.5e-3);
  EXPECT_EQ(record.evaluations[0].configuration, (Configuration{{"MWG", 16}, {"S", 0.5}}));
  EXPECT_EQ(record.evaluations[1].outcome.error().phase, Phase::resources);
  EXPECT_EQ(record.recorded[2], "2025-02-03T10:11:12.345Z");
  EXPECT_EQ(replay::space_of(record, "file").space.size(), 3U);
}

struct Bad {
  std::string text, words;
};

TEST(Ktt, WhatIsNoneIsOneLine) {
  const std::string start = R"({"Metadata": {"TimeUnit": "Seconds"}, "Results": [)";
  const std::vector<Bad> all = {
      {R"({"Metadata": {}, "Results": []})", "TimeUnit"},
      {R"({"Metadata": {"TimeUnit": "Fortnights"}, "Results": []})", "fortnights"},
      {start + "{}]}", "entry 1 of 'Results' has no list 'Configuration'"},
      {start + R"({"Configuration": [{"Name": "a"}], "KernelName": "k"}]})", "no 'Value'"},
      {start + R"({"Configuration": [], "KernelName": "k"}, {"Configuration": [], "KernelName": "l"}]})",
       "'l'"},
      {R"({"Metadata": {}, "Results": [], "results": []})", "right file"}};
  for (const Bad& bad : all) {
    try {
      read_back(bad.text);
      ADD_FAILURE() << bad.text << " was read";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.words));
      EXPECT_THAT(error.what(), ::testing::StartsWith("file: "));
    }
  }
}

TEST(Import, SamplesAreThoseAroundTheTime) {
  const auto samples = [](const std::string& time, const std::string& times) {
    return read_back(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": )" + time +
                     R"(, "times": )" + times + "}}}")
        .evaluations[0]
        .outcome->samples;
  };
  EXPECT_EQ(samples("2000", "[1000, 3000]"), (std::vector<double>{1, 3}));
  EXPECT_EQ(samples("5000", "[1000, 3000]"), (std::vector<double>{5})) << "of something else";
  EXPECT_EQ(samples("2000", "[1000, \"x\"]"), (std::vector<double>{2}));
  EXPECT_EQ(samples("2000", "[]"), (std::vector<double>{2}));
  EXPECT_EQ(samples("2000", "null"), (std::vector<double>{2}));
}

TEST(Import, TimesOfDayAreUtc) {
  EXPECT_EQ(replay::utc_time("2023-12-22 09:54:05.502007+00:00"), "2023-12-22T09:54:05.502Z");
  EXPECT_EQ(replay::utc_time("2023-12-31T23:30:00-01:30"), "2024-01-01T01:00:00.000Z");
  EXPECT_EQ(replay::utc_time("2023-12-22 09:54:05"), "2023-12-22T09:54:05.000Z");
  EXPECT_EQ(replay::utc_time("2026-01-31T12:00:00.250Z"), "2026-01-31T12:00:00.250Z");
  for (const char* none : {"", "yesterday", "2023-13-01 00:00:00", "2023-02-30 00:00:00", "2023-12-22",
                           "2023-12-22 09:54:05 CEST"})
    EXPECT_EQ(replay::utc_time(none), "") << none;
}

// Absurd numbers, depths and sizes: an error that names the file, never a crash.
TEST(Import, HostileFilesAreErrors) {
  const std::string deep = R"({"tune_params_keys": ["a"], "cache": {"1": {"a": )" + std::string(100'000, '[');
  const std::vector<Bad> all = {
      {deep, "in each other"},
      {R"({"results": [{"configuration": {"a": 1}, "x": )" + std::string(100'000, '['), "in each other"},
      {std::string(1'000'000, '{'), "file: "},
      {R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1e999}}})", "file: "},
      {R"({"tune_params_keys": ["a"], "cache": {"1": {"a": [[1]], "time": 1}}})", "'a' is a list"},
      {R"({"tune_params_keys": [{"b": [1]}], "cache": {"1": {"a": 1, "time": 1}}})", "an object"},
      {"\xff\xfe\x00\x01", "not JSON"},
      {std::string(5000, 'x'), "not JSON"}};
  for (const Bad& bad : all) {
    try {
      read_back(bad.text);
      ADD_FAILURE() << bad.text.substr(0, 80) << " was read";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.words));
      EXPECT_LT(std::string(error.what()).size(), 400U);
    }
  }
  const replay::ThirdPartyRecord huge =
      read_back(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 18446744073709551615, "time": 1}}})");
  EXPECT_GT(huge.evaluations[0].configuration["a"].as_real(), 1e19) << "it became a negative number";
}

TEST(Import, EveryCutOfAFileIsReadOrRefused) {
  const replay::ThirdPartyRecord record = example();
  for (const replay::FileFormat& file_format : replay::file_formats()) {
    if (file_format.write == nullptr) continue;
    const std::string text = written_text(file_format, record).text;
    for (std::size_t length = 0; length < text.size(); length += 7) {
      try {
        read_back(text.substr(0, length));
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::StartsWith("file: "));
      }
    }
  }
}

TEST(TextFile, IsWrittenAtOnceOrNotAtAll) {
  const tune::testing::TemporaryFolder folder;
  const auto text = [](std::string part, int count) {
    return [part = std::move(part), count](const replay::TextSink& out) {
      for (int i = 0; i < count; ++i) out(part);
    };
  };
  for (const char* name : {"a.json", "a.json.gz"}) {
    replay::write_new_text(folder / name, text(std::string(1'500'000, 'x'), 2));
    EXPECT_EQ(whole_text(folder / name).size(), 3'000'000U);
    EXPECT_THROW(replay::write_new_text(folder / name, text("y", 1)), Error);
  }
  EXPECT_GT(std::filesystem::file_size(folder / "a.json"), std::filesystem::file_size(folder / "a.json.gz"));
  EXPECT_THROW(replay::write_new_text(folder / "no/such", text("y", 1)), Error);
  EXPECT_THROW(replay::write_new_text("/dev/full", text("y", 1)), Error);
  const auto fails = [](const replay::TextSink& out) {
    out(std::string(1'000'000, 'x'));
    throw Error("the source cannot be read");
  };
  EXPECT_THROW(replay::write_new_text(folder / "b.json", fails), Error);
  const auto files = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "a part of a file was left";
}

/// A writer holds no evaluation: what it was passed may go at once, and nothing is written at the end alone.
TEST(Writers, EvaluationsPassThrough) {
  constexpr int count = 2'000;
  for (const replay::FileFormat& file_format : replay::file_formats()) {
    SCOPED_TRACE(file_format.name);
    replay::WrittenWorkload workload{"k", "64", "d", {}};
    std::size_t bytes = 0, passes = 0, most_held = 0, largest = 0;
    workload.each = [&](const replay::WrittenWorkload::Take& take) {
      const bool writes = ++passes == 2;
      for (int i = 0; i < count; ++i) {
        const std::size_t before = bytes;
        take(measured(Configuration{{"block", i}}, {1e-3, 2e-3, 3e-3}), "");
        if (writes && bytes == before) ++most_held;
      }
    };
    file_format.write(workload, [&](std::string_view part) {
      bytes += part.size();
      if (passes == 2) largest = std::max(largest, part.size());
    });
    EXPECT_EQ(passes, 2U);
    EXPECT_EQ(most_held, 0U) << "an evaluation was kept";
    EXPECT_LT(largest, 1'000U) << "several entries were kept";
  }
}

}  // namespace
}  // namespace tune::testing
