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
       R"({"type": "uint8", "size": ["nx", "ny"], "fill": {"from": 0, "step": 1})"
       R"(, "texture": {"read": "normalized"}})",
       "in[y * nx + i] / 255.0f"},
      {"tex3D<float>(in, x + 0.5f, y + 0.5f, 0.5f)",
       R"({"type": "float", "size": ["nx", "ny", 1], "fill": {"from": 0, "step": 0.5}, "texture": true})",
       "in[y * nx + i]"}};
}

}  // namespace tune::described::testing
