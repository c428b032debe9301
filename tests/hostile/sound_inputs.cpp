// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/sound_inputs.hpp"

namespace tune::testing::sound {

const std::string kernel =
    "#include \"more.cuh\"\nextern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
    "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = in[i] * ITEMS;\n}\n";

const std::string native =
    R"json({"problem": "own", "summary": "a kernel", "kernel": "k.cu", "sizes": {"n": 4096},
 "settings": {"real": {"values": ["float", "double"]}},
 "parameters": {"BLOCK": [32, 64, 128], "ITEMS": {"values": "range(1, 5)", "default": 2}, "mode": ["a", "b"]},
 "constraints": ["BLOCK * ITEMS <= 256", {"rule": "BLOCK <= max_threads", "why": "threads"}],
 "arguments": {"in": {"type": "real", "size": "n", "fill": {"random": [0, 1]}},
  "out": {"type": "real", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"}},
 "launches": {"entry": "k", "grid": "(n + BLOCK - 1) // BLOCK", "block": "BLOCK", "shared": "4 * BLOCK"},
 "check": [{"n": 100}], "tolerance": {"relative": 1e-5}, "work": {"flops": "2 * n", "item": "element"}})json";

const std::string t1 = R"json({"General": {"FormatVersion": 1, "BenchmarkName": "own"},
 "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[32, 64, 128]", "Default": 64},
  {"Name": "ITEMS", "Type": "int", "Values": "list(range(1, 5))", "Default": 1}],
  "Conditions": [{"Expression": "BLOCK * ITEMS <= 256", "Parameters": ["BLOCK", "ITEMS"]}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [4096],
  "LocalSize": {"X": "BLOCK"}, "GlobalSize": {"X": "(4096 + BLOCK - 1) // BLOCK"}, "GlobalSizeType": "CUDA",
  "Arguments": [{"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Random",
    "FillValue": 1, "AccessType": "ReadOnly"},
   {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Constant", "FillValue": 0,
    "AccessType": "WriteOnly", "Output": 1},
   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096}]}})json";

const std::string t4 =
    R"json({"schema_version": "1.0.0", "metadata": {"kernel_name": "k", "problem_size": "64x64",
 "device": "Some GPU", "timeunit": "milliseconds"}, "results": [
 {"timestamp": "2026-01-02T03:04:05Z", "configuration": {"BLOCK": 32, "mode": "a"}, "objectives": ["time"],
  "times": {"compilation_time": 5, "benchmark": 3, "runtimes": [1.5, 1.6, 1.4]}, "invalidity": "correct",
  "correctness": 1, "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]},
 {"configuration": {"BLOCK": 64, "mode": "b"}, "times": {"runtimes": []}, "invalidity": "compile", "correctness": 0,
  "measurements": [{"name": "time", "value": null, "unit": ""}]}]})json";

const std::string kernel_tuner =
    R"json({"device_name": "Some GPU", "kernel_name": "k", "problem_size": [64, 64],
 "tune_params_keys": ["BLOCK", "mode"], "tune_params": {"BLOCK": [32, 64], "mode": [1, 2]}, "objective": "time",
 "cache": {"32,1": {"BLOCK": 32, "mode": 1, "time": 1.5, "times": [1.5, 1.6], "compile_time": 5.0},
  "64,2": {"BLOCK": 64, "mode": 2, "time": "CompilationFailedConfig"}}})json";

const std::string ktt = R"json({"Metadata": {"TimeUnit": "Milliseconds", "Device": "Some GPU"}, "Results": [
 {"Configuration": [{"Name": "BLOCK", "Value": 32}, {"Name": "mode", "Value": 1}], "KernelName": "k", "Status": "Ok",
  "TotalDuration": 1.5, "TotalOverhead": 0.1, "ComputationResults": [{"KernelFunction": "k", "Duration": 1.4}]},
 {"Configuration": [{"Name": "BLOCK", "Value": 64}, {"Name": "mode", "Value": 2}], "KernelName": "k",
  "Status": "CompilationFailed"}]})json";

const std::string stencil =
    "name = mine\nout[z][y][x] = 0.4 * in[z][y][x] + 0.1 * (in[z-1][y][x] + in[z+1][y][x] + in[z][y-1][x]\n"
    "  + in[z][y+1][x] + in[z][y][x-1] + in[z][y][x+1])\n";

const std::string request =
    "GET /data?x=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nIf-None-Match: \"abc\"\r\n\r\n";

std::string matvec_file(unsigned rows, unsigned columns, std::size_t floats) {
  std::string bytes;
  for (const unsigned number : {rows, columns, 0U, 0U})
    for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xffU);
  return bytes + std::string(4 * floats, '\x3f');
}

}  // namespace tune::testing::sound
