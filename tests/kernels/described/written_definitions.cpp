// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/described/written_definitions.hpp"

#include <fstream>

namespace tune::described::testing {

std::filesystem::path TypedKernel::write(const std::filesystem::path& folder) const {
  std::ofstream(folder / "k.cu")
      << "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <stdint.h>\n"
      << "extern \"C\" __global__ void k(" << word << "* y, const " << word << "* x, " << word
      << " s, int n) {\n  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = " << sum
      << ";\n}\n";
  std::ofstream(folder / "k.json")
      << R"json({"problem": "k", "kernel": "k.cu", "sizes": {"n": 60}, "check": [{"n": 37}],
                   "parameters": {"BLOCK": [32]},
                   "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"},
                   "arguments": {"y": {"type": ")json"
      << type << R"json(", "size": "n", "access": "write", "expect": )json" << expected
      << R"json(}, "x": {"type": ")json" << type << R"json(", "size": "n", "fill": {"from": 0, "step": 1}},
                   "s": {"type": ")json"
      << type << R"json(", "value": 3}, "n": {"type": "int", "value": "n"}}})json";
  return folder / "k.json";
}

std::vector<TypedKernel> typed_kernels() {
  const std::string sum = "x[i] + x[i] + s", half = "__hadd(__hadd(x[i], x[i]), s)";
  const std::string right = R"({"from": 3, "step": 2})";
  return {{"half", "__half", half, right},     {"bfloat16", "__nv_bfloat16", half, right},
          {"int8", "signed char", sum, right}, {"uint8_t", "uint8_t", sum, right},
          {"short", "short", sum, right},      {"unsigned short", "unsigned short", sum, right},
          {"int64", "long long", sum, right},  {"size_t", "unsigned long long", sum, right},
          {"double", "double", sum, right}};
}

std::filesystem::path TexturedKernel::write(const std::filesystem::path& folder) const {
  std::ofstream(folder / "k.cu")
      << "extern \"C\" __global__ void k(float* out, cudaTextureObject_t in, int nx, int ny) {\n"
         "  const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;\n"
         "  if (x < nx) out[y * nx + x] = "
      << fetch << ";\n}\n";
  std::ofstream(folder / "right.cu") << "extern \"C\" __global__ void right(float* out, const "
                                     << (input.find("uint8") != std::string::npos ? "unsigned char" : "float")
                                     << "* in, int nx, int ny) {\n"
                                        "  const int x = threadIdx.x, y = blockIdx.y;\n"
                                        "  for (int i = x; i < nx; i += 32) out[y * nx + i] = "
                                     << reference << ";\n}\n";
  std::ofstream(folder / "k.json")
      << R"json({"problem": "k", "kernel": "k.cu", "sizes": {"nx": 100, "ny": 20},
                   "check": [{"nx": 37, "ny": 5}], "parameters": {"BLOCK": [32, 64]},
                   "launches": {"entry": "k", "grid": ["ceil_div(nx, BLOCK)", "ny"], "block": "BLOCK",
                                "arguments": ["out", "in", "nx", "ny"]},
                   "reference": {"kernel": "right.cu",
                                 "launches": {"entry": "right", "grid": [1, "ny"], "block": 32,
                                              "arguments": ["out", "plain", "nx", "ny"]}},
                   "arguments": {"out": {"type": "float", "size": ["nx", "ny"], "access": "write"},
                                 "in": )json"
      << input << R"json(, "plain": )json" << input.substr(0, input.find(", \"texture")) + "}"
      << R"json(, "nx": {"type": "int", "value": "nx"}, "ny": {"type": "int", "value": "ny"}}})json";
  return folder / "k.json";
}

std::vector<TexturedKernel> textured_kernels() {
  const std::string vector = R"({"type": "float", "size": "nx * ny", "fill": {"from": 0, "step": 0.5})";
  const std::string image = R"({"type": "float", "size": ["nx", "ny"], "fill": {"from": 0, "step": 0.5})";
  return {
      {"tex1Dfetch<float>(in, y * nx + x)", vector + R"(, "texture": true})", "in[y * nx + i]"},
      {"tex2D<float>(in, x + 0.5f, y + 0.5f)", image + R"(, "texture": {"memory": "array"}})",
       "in[y * nx + i]"},
      // Half way to the next one, the last one staying as it is.
      {"tex2D<float>(in, x + 1.0f, y + 0.5f)",
       image + R"(, "texture": {"filter": "linear", "address": "clamp"}})",
       "(in[y * nx + i] + in[y * nx + (i + 1 < nx ? i + 1 : i)]) / 2"},
      {"tex2D<float>(in, x + 0.5f, y + 1.5f)", image + R"(, "texture": {"address": ["clamp", "border"]}})",
       "y + 1 < ny ? in[(y + 1) * nx + i] : 0.0f"},
      {"tex2D<float>(in, (x + 0.5f) / nx + 1, (y + 0.5f) / ny)",
       image + R"(, "texture": {"address": "wrap", "normalized": true}})", "in[y * nx + i]"},
      {"tex2D<float>(in, x + 0.5f, y + 0.5f)",
       R"({"type": "uint8", "size": ["nx", "ny"], "fill": {"formula": "i % 256"})"
       R"(, "texture": {"read": "normalized"}})",
       "in[y * nx + i] / 255.0f"},
      {"tex3D<float>(in, x + 0.5f, y + 0.5f, 0.5f)",
       R"({"type": "float", "size": ["nx", "ny", 1], "fill": {"from": 0, "step": 0.5}, "texture": true})",
       "in[y * nx + i]"}};
}

std::filesystem::path write_values_and_launches(const std::filesystem::path& folder, int factor) {
  std::ofstream(folder / "values.cu")
      << "struct Inner { char first; double second; };\n"
         "struct P { char flag; float weights[3]; Inner inner; float4 add; const float* x; int n; };\n"
         "extern \"C\" __global__ void k(float* to, const float* from, float* once, P p, double2 more) {\n"
         "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
         "  if (i >= p.n || p.flag != 7) return;\n"
         "  to[i] = from[i] + p.x[i] * p.weights[i % 3] + float(p.inner.second) + p.add.w + float(more.y)\n"
         "          + once[i];\n"
         "  once[i] = 0;\n}\n";
  // Each launch adds 3 * (i % 3 + 1) + 1 + 20 + 5, the first one 100 more.
  std::ofstream(folder / "values.json") << R"json({
    "problem": "values", "kernel": "values.cu", "sizes": {"n": 1000}, "check": [{"n": 77}],
    "parameters": {"BLOCK": [32, 64]},
    "arguments": {
      "a": {"type": "float", "size": "n", "access": "both", "fill": 0,
            "expect": {"formula": "3 * (3 * (i % 3 + 1) + 26) + 100"}},
      "b": {"type": "float", "size": "n", "access": "both", "fill": 0,
            "expect": {"formula": "2 * (3 * (i % 3 + 1) + 26) + 100"}},
      "once": {"type": "float", "size": "n", "access": "scratch", "fill": 100},
      "x": {"type": "float", "size": "n", "fill": )json"
                                        << factor << R"json(},
      "p": {"struct": [{"type": "int8", "value": 7}, {"type": "float", "value": [1, 2, "1 + 2"]},
                       {"struct": [{"type": "char", "value": 5}, {"type": "double", "value": 1}]},
                       {"type": "float4", "value": [0, 0, 0, 20]}, {"buffer": "x"}, {"type": "int", "value": "n"}]},
      "more": {"type": "double2", "value": [0, 5]}},
    "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK", "repeat": 3, "swap": ["a", "b"]}})json";
  return folder / "values.json";
}

}  // namespace tune::described::testing
