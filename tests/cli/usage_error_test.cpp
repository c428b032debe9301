// SPDX-License-Identifier: Apache-2.0
// Wrong words on the command line: each gets one line that says what is wrong and what would be right.
#include <gtest/gtest.h>

#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

struct Wrong {
  std::vector<std::string> arguments;
  std::vector<std::string> words;  ///< that the message must hold
};

std::vector<std::string> replay(const std::vector<std::string>& more) {
  std::vector<std::string> all = small_run({"--device", "replay"});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void PrintTo(const Wrong& wrong, std::ostream* out) {
  for (const std::string& argument : wrong.arguments) *out << argument << " ";
}

class UsageError : public ::testing::TestWithParam<Wrong> {};

TEST_P(UsageError, IsOneLineThatHelps) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune(GetParam().arguments), 2, GetParam().words);
  EXPECT_FALSE(std::filesystem::exists(sandbox.database())) << "a database was made for nothing";
}

TEST(UsageErrorText, StaysOneLineWhateverWasTyped) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"be\nst\x1b[2J"}), 2, {"unknown command 'be st [2J'"});
  expect_refused(sandbox.tune({"best", "sten\ncil"}), 2, {"unknown problem"});
  const ProgramResult large = sandbox.tune({"best", std::string(100'000, 'a')});
  expect_refused(large, 2, {"unknown problem"});
  EXPECT_LT(large.err.size(), 2200U);
  expect_refused(sandbox.tune({"show", "--db", std::string(3000, 'a')}), 2, {"is too long for the name"});
  expect_refused(sandbox.tune(replay({"--where", "block_x\n=="})), 2, {"--where"});
}

INSTANTIATE_TEST_SUITE_P(
    Commands, UsageError,
    ::testing::Values(
        Wrong{{"bset"}, {"unknown command 'bset'", "did you mean 'best'?"}},
        Wrong{{"zzzzzzzzz"}, {"unknown command 'zzzzzzzzz'", "tune help"}},
        Wrong{{"help", "shwo"}, {"unknown command 'shwo'", "'show'"}},
        Wrong{{""}, {"unknown command ''", "tune help"}}, Wrong{{"be\nst"}, {"unknown command"}},
        Wrong{{"run", "stencil3d", "more"}, {"tune help run"}},
        Wrong{{"show", "1", "2"}, {"'2' belongs to no option", "takes one word", "tune help show"}},
        Wrong{{"--problem", "stencil3d", "--budget-time", "5", "sec"},
              {"the word 'sec' belongs to no option", "--budget-time 5sec"}},
        Wrong{{"run", "stencil3d", "--problem", "gemm"}, {"'stencil3d'", "--problem is given too"}},
        Wrong{{"devices", "0"}, {"takes no word without '--'", "tune help devices"}}));

INSTANTIATE_TEST_SUITE_P(
    Options, UsageError,
    ::testing::Values(
        Wrong{{"run", "--problme", "stencil3d"}, {"'--problme'", "did you mean '--problem'?"}},
        Wrong{{"--problme", "stencil3d"}, {"'--problme'", "did you mean '--problem'?"}},
        Wrong{{"run", "--problme=stencil3d"}, {"'--problme'", "did you mean '--problem'?"}},
        Wrong{{"best", "--zzzzzzz"}, {"'--zzzzzzz'", "tune help best"}},
        Wrong{{"run", "--prob", "stencil3d"}, {"'--prob'"}},  // no guessing
        Wrong{{"run", "-x", "stencil3d"}, {"'-x'"}},
        Wrong{{"run", "-p"}, {"-p", "needs a value", "tune help run"}},
        Wrong{{"run", "-p", "gemm", "-p", "gemm"}, {"--problem is given twice"}},
        Wrong{{"list", "runs", "gemm", "more"}, {"'more' belongs to no option", "takes 2 words"}},
        Wrong{{"best", "gemm", "--problem", "gemm"}, {"'gemm'", "--problem is given too"}},
        Wrong{{"list", "-n", "5", "runs", "x", "y"}, {"'y' belongs to no option"}},
        Wrong{{"run", "--problem"}, {"--problem", "tune help run"}},
        Wrong{{"run", "--problem", "--size", "64x64x64"}, {"--problem", "tune help run"}},
        Wrong{{"run", "--problem="}, {"--problem"}},
        Wrong{replay({"--size", "32x32x32"}), {"--size", "is given twice"}},
        Wrong{replay({"--quiet=yes"}), {"--quiet"}}, Wrong{{"run"}, {"--problem", "tune list problems"}},
        Wrong{{"best"}, {"--problem", "tune list problems"}}, Wrong{{"db", "export"}, {"--out FILE"}},
        Wrong{{"db", "merge"}, {"tune db merge FILE..."}},
        Wrong{{"db", "import"}, {"tune db import FILE..."}}, Wrong{{"db", "chek"}, {"did you mean 'check'?"}},
        Wrong{{"export"}, {"tune db export"}}, Wrong{{"db", "nothing"}, {"tune help db"}},
        Wrong{{"db", "info", "a", "b"}, {"tune db info", "takes one word", "'b' belongs to no option"}}));

INSTANTIATE_TEST_SUITE_P(
    Measuring, UsageError,
    ::testing::Values(Wrong{replay({"--samples", "0"}), {"--samples", "7:60"}},
                      Wrong{replay({"--samples", "9:3"}), {"--samples: '9:3'"}},
                      Wrong{replay({"--samples", "3:"}), {"--samples"}},
                      Wrong{replay({"--samples", "3:9x"}), {"--samples"}},
                      Wrong{replay({"--spread", "0"}), {"--spread", "1% or 0.01"}},
                      Wrong{replay({"--spread", "100%"}), {"--spread: '100%'"}},
                      Wrong{replay({"--spread", "little"}), {"--spread"}},
                      Wrong{replay({"--until-gain", "0"}), {"--until-gain: '0'", "1% or 0.01"}},
                      Wrong{replay({"--until-gain", "2"}), {"--until-gain: '2'", "1% or 0.01"}},
                      Wrong{replay({"--until-gain", "x"}), {"--until-gain: 'x'", "1% or 0.01"}},
                      Wrong{replay({"--until-gain", "-1%"}), {"--until-gain: '-1%'", "1% or 0.01"}},
                      Wrong{replay({"--until-gain", "100%"}), {"--until-gain: '100%'"}},
                      Wrong{replay({"--until-gain", "%"}), {"--until-gain: '%'"}},
                      Wrong{replay({"--until-gain", ""}), {"--until-gain"}},
                      Wrong{replay({"--until-gain", "nan"}), {"--until-gain: 'nan'"}},
                      Wrong{replay({"--until-gain", "1%", "--strategy", "random"}),
                            {"--until-gain: the strategy random does not estimate", "the strategy auto"}},
                      Wrong{replay({"--strategy", "grid", "--until-gain", "1%"}),
                            {"--until-gain: the strategy grid does not estimate", "the strategy auto"}},
                      Wrong{replay({"--finalists", "-1"}), {"--finalists"}},
                      Wrong{replay({"--cache", "hot"}), {"--cache", "cold, warm"}},
                      Wrong{replay({"--objective", "tme"}), {"--objective", "did you mean 'time'?"}},
                      Wrong{replay({"--objective", "edp"}), {"no energy", "--objective time"}}));

INSTANTIATE_TEST_SUITE_P(
    Names, UsageError,
    ::testing::Values(
        Wrong{{"run", "--problem", "stencil3"}, {"unknown problem 'stencil3'", "did you mean 'stencil3d'?"}},
        Wrong{{"space", "fft"}, {"unknown problem 'fft'", "tune list problems"}},
        Wrong{{"new", "a b.stencil"}, {"tune --stencil 'a b.stencil'"}},
        Wrong{{"space", "my.stencil"}, {"name it with --stencil my.stencil"}},
        Wrong{{"list", "runs", "--problem", "stencil4d"}, {"unknown problem", "'stencil3d'"}},
        Wrong{replay({"--set", "radios=2"}), {"--set", "'radios'", "did you mean 'radius'?"}},
        Wrong{replay({"--set", "zzz=2"}), {"--set", "'zzz'", "type, shape, radius"}},
        Wrong{replay({"--set", "radius=33"}), {"--set: radius=33", "1, 2, 3"}},
        Wrong{replay({"--set", "radius"}), {"--set", "'radius'", "name=value"}},
        Wrong{replay({"--set", "radius=1,radius=2"}), {"--set: 'radius' is given twice"}},
        Wrong{replay({"--set", "radius=1", "--set", "radius=2"}), {"--set: 'radius' is given twice"}},
        Wrong{replay({"--fix", "block_x=32,block_x=64"}), {"--fix: 'block_x' is given twice"}},
        Wrong{replay({"--set", "radius=1,"}), {"--set", "name=value"}},
        Wrong{replay({"--strategy", "gird"}), {"--strategy", "'gird'", "did you mean 'grid'?"}},
        Wrong{replay({"--strategy", "zzzzzz"}),
              {"--strategy", "'zzzzzz'", "auto, ", "random, uniform, grid"}},
        Wrong{replay({"--format", "jsno"}), {"--format", "'jsno'", "did you mean 'json'?"}},
        Wrong{replay({"--format", "flags"}), {"--format", "'flags'", "text, json"}},
        Wrong{{"best", "stencil3d", "--format", "flgas"}, {"--format", "'flgas'", "'flags'"}},
        Wrong{{"report", "--format", "mrakdown"}, {"--format", "'mrakdown'", "'markdown'"}},
        Wrong{{"report", "--out", "report.zip"}, {"--out", "report.zip", "--format"}},
        Wrong{{"list", "rnus"}, {"unknown 'rnus'", "'runs'"}},
        Wrong{{"list", "zzzzzz"}, {"unknown 'zzzzzz'", "problems, devices, runs, results"}},
        Wrong{small_run({"--device", "replya"}), {"unknown device 'replya'", "'replay'"}},
        Wrong{small_run({"--device", "gpu"}), {"unknown device 'gpu'", "tune devices"}},
        Wrong{small_run({"--device", "-1"}), {"unknown device '-1'"}},
        Wrong{small_run({"--device", "99999999999999999999"}), {"device '99999999999999999999'"}},
        Wrong{{"space", "stencil3d", "--arch", "sm_12345"}, {"sm_12345", "sm_90"}},
        Wrong{{"space", "stencil3d", "--device", "gpu"},
              {"'tune devices' lists the devices; --arch sm_90 takes"}},
        Wrong{{"check", "stencil3d", "--device", "emulater"}, {"did you mean 'emulator'?"}},
        Wrong{{"space", "stencil3d", "--device", "replay"}, {"--device", "--arch"}}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, UsageError,
    ::testing::Values(
        Wrong{{"best", "stencil3d", "--size", "0x64x64"}, {"--size", "nx = '0'"}},
        Wrong{{"best", "stencil3d", "--size", "64x-3x64"}, {"--size", "ny = '-3'"}},
        Wrong{{"best", "stencil3d", "--size", "64x64"}, {"--size", "3 extents", "512x512x512"}},
        Wrong{{"best", "stencil3d", "--size", "1x2x3x4"}, {"--size", "3 extents", "nx, ny, nz"}},
        Wrong{{"best", "stencil3d", "--size", "axbxc"}, {"--size", "nx = 'a'"}},
        Wrong{{"best", "stencil3d", "--size", "64x64x1.5"}, {"--size", "nz = '1.5'"}},
        Wrong{{"best", "stencil3d", "--size", "64x64x"}, {"--size", "nz = ''"}},
        Wrong{{"best", "stencil3d", "--size", ""}, {"--size"}},
        Wrong{{"best", "stencil3d", "--size", "3000000000x1x1"}, {"--size", "too large"}},
        Wrong{{"best", "stencil3d", "--size", "99999999999999999999x1x1"}, {"--size", "too large"}},
        Wrong{{"best", "stencil3d", "--size", "2147483647x2147483647x2147483647"}, {"--size"}},
        Wrong{{"list", "results", "--size", "64by64"}, {"--size"}}));

INSTANTIATE_TEST_SUITE_P(
    Spaces, UsageError,
    ::testing::Values(
        Wrong{replay({"--where", "block_x +* 2"}), {"--where"}},
        Wrong{replay({"--where", "block_x <="}), {"--where"}},
        Wrong{replay({"--where", "blok_x == 32"}), {"--where", "blok_x", "block_x"}},
        Wrong{replay({"--where", "variant == drect"}), {"--where", "drect", "direct"}},
        Wrong{replay({"--where", "block_x == 33"}),
              {"--where and --fix leave no valid configuration", "tune space"}},
        Wrong{replay({"--where", ""}), {"--where"}},
        Wrong{replay({"--fix", "blok_x=32"}), {"--fix", "blok_x", "block_x"}},
        Wrong{replay({"--fix", "block_x=33"}), {"--fix", "33", "32"}},
        Wrong{replay({"--fix", "block_x"}), {"--fix", "'block_x'", "name=value"}},
        Wrong{replay({"--fix", "variant=direct,block_x=8,block_y=1,vector=1"}), {"--where and --fix leave"}},
        Wrong{{"check", "stencil3d", "--arch", "sm_90", "--config", "variant=direct"},
              {"--config", "block_x"}},
        Wrong{{"check", "stencil3d", "--arch", "sm_90", "--config", "variant"}, {"--config", "name=value"}},
        Wrong{{"check", "stencil3d", "--arch", "sm_90", "--config", "varaint=direct"},
              {"--config", "varaint"}},
        Wrong{{"check", "stencil3d", "--arch", "sm_90", "--sample", "0"}, {"--sample", "at least 1"}},
        Wrong{{"check", "stencil3d", "--arch", "sm_90", "--compilers", "0"}, {"--compilers", "at least 1"}},
        Wrong{{"check", "stencil3d", "--sample", "1", "--all"}, {"--sample and --all: choose one"}},
        Wrong{replay({"--where", "1/0 == 1"}), {"constraint '1 / 0 == 1': division by zero"}},
        Wrong{{"check", "stencil3d", "--arch", "sm_1"}, {"sm_1", "sm_90"}},
        Wrong{{"space", "stencil3d", "--sample", "x"}, {"--sample", "'x'"}}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, UsageError,
    ::testing::Values(Wrong{replay({"--budget-evals", "0"}), {"--budget-evals", "'0'", "at least 1"}},
                      Wrong{replay({"--budget-evals", "-5"}), {"--budget-evals", "'-5'"}},
                      Wrong{replay({"--budget-evals", "many"}), {"--budget-evals", "'many'"}},
                      Wrong{replay({"--budget-evals", "10k"}), {"--budget-evals", "'10k'"}},
                      Wrong{replay({"--budget-evals", "99999999999999999999999"}), {"--budget-evals"}},
                      Wrong{replay({"--budget-time", "0"}), {"--budget-time", "'0'", "90s, 5m or 1.5h"}},
                      Wrong{replay({"--budget-time", "-5s"}), {"--budget-time", "'-5s'"}},
                      Wrong{replay({"--budget-time", "soon"}), {"--budget-time", "'soon'"}},
                      Wrong{replay({"--budget-time", "nan"}), {"--budget-time", "'nan'"}},
                      Wrong{replay({"--budget-time", "inf"}), {"--budget-time", "'inf'"}},
                      Wrong{replay({"--budget-time", "5d"}), {"--budget-time", "'5d'"}},
                      Wrong{replay({"--timeout", "0"}), {"--timeout", "'0'"}},
                      Wrong{replay({"--timeout", "soon"}), {"--timeout", "'soon'"}},
                      Wrong{replay({"--quiet", "--verbose"}), {"--quiet", "--verbose"}},
                      Wrong{replay({"--seed", "-1"}), {"--seed", "'-1'"}},
                      Wrong{replay({"--seed", "x"}), {"--seed", "'x'"}},
                      Wrong{{"list", "runs", "--limit", "0"}, {"--top", "'0'"}},
                      Wrong{{"list", "results", "--run", "-1"}, {"--run", "'-1'"}},
                      Wrong{{"report", "--top", "0"}, {"--top", "'0'"}},
                      Wrong{{"show", "x"}, {"--run", "'x'"}},
                      Wrong{replay({"--kernel-dir", "/no/such/folder"}), {"--kernel-dir", "/no/such/folder"}},
                      Wrong{replay({"--kernel-dir", "/"}), {"--kernel-dir", "GPU"}}));

INSTANTIATE_TEST_SUITE_P(
    Replay, UsageError,
    ::testing::Values(
        Wrong{{"replay"}, {"--space FILE"}}, Wrong{{"replay", "file.json"}, {"--space FILE"}},
        Wrong{{"replay", "--space", "f", "--strategy", "radnom"},
              {"--strategy", "'radnom'", "did you mean 'random'?"}},
        Wrong{{"replay", "--space", "f", "--strategy", "random,random"}, {"'random' is named twice"}},
        Wrong{{"replay", "--space", "f", "--strategy", "auto,random,model"},
              {"'model' is named twice", "auto"}},
        Wrong{{"replay", "--space", "f", "--strategy", "model:start=10,auto:start=10"},
              {"'model:start=10' is named twice", "'auto:start=10'"}},
        Wrong{{"replay", "--space", "f", "--strategy", "model:strat=10"},
              {"--strategy", "did you mean 'start'?", "start=5 (1 to 1000)"}},
        Wrong{{"replay", "--space", "f", "--strategy", "modle:start=10"}, {"did you mean 'model'?"}},
        Wrong{{"replay", "--options", "modle"}, {"--options", "did you mean 'model'?"}},
        Wrong{{"replay", "--space", "f", "--budget-time", "30s,x"}, {"--budget-time", "'x'"}},
        Wrong{{"replay", "--space", "f", "--group", "a=b"}, {"--group", "--choose-by"}},
        Wrong{{"replay", "--space", "f", "--choose-by", "kernel", "--group", "ab"},
              {"--group", "'ab'", "NAME=START"}},
        Wrong{{"replay", "--space", "f", "--choose-by", "kernel", "--strategy", "grid"},
              {"--choose-by", "two strategies"}},
        Wrong{{"replay", "--space", "f", "--strategy", "random,"}, {"--strategy", "no strategy ''"}},
        Wrong{{"replay", "--space", "f", "--budget", "0"}, {"--budget", "'0'", "at least 1"}},
        Wrong{{"replay", "--space", "f", "--budget", "20,x"}, {"--budget", "'x'"}},
        Wrong{{"replay", "--space", "f", "--budget", "20,"}, {"--budget", "''"}},
        Wrong{{"replay", "--space", "f", "--repeats", "0"}, {"--repeats", "'0'"}},
        Wrong{{"replay", "--space", "f", "--batch", "0"}, {"--batch", "'0'"}},
        Wrong{{"replay", "--space", "f", "--in-flight", "0"}, {"--in-flight", "'0'"}},
        Wrong{{"replay", "--space", "f", "--batch", "2", "--in-flight", "2"}, {"--batch", "--in-flight"}},
        Wrong{{"replay", "--space", "f", "--seed", "-1"}, {"--seed", "'-1'"}},
        Wrong{{"replay", "--space", "f", "--warm-evaluations", "10"}, {"--warm FILE"}},
        Wrong{{"replay", "--space", "f", "--warm", "g", "--warm-evaluations", "none"},
              {"--warm-evaluations", "'none'"}},
        Wrong{{"replay", "--space", "f", "--warm", "g", "--warm-strategy", "gird"},
              {"--warm-strategy", "did you mean 'grid'?"}},
        Wrong{{"replay", "--space"}, {"--space", "tune help replay"}}));

}  // namespace
}  // namespace tune::testing
