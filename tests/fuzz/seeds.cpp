// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/seeds.hpp"

#include <cstdint>
#include <filesystem>
#include <map>

#include "db/formats/text_file.hpp"
#include "tests/hostile/hostile_text.hpp"
#include "tests/hostile/sound_inputs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/file.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::testing {
namespace {

using Seeds = std::vector<std::string>;

/// Hostile expressions behind sound ones.
Seeds expressions(Seeds seeds, const std::string& prefix) {
  constexpr std::string_view names[] = {"BLOCK", "ITEMS", "n", "mode", "flag", "x"};
  for (std::uint64_t i = 0; i < 60; ++i) {
    Dice dice(i);
    seeds.push_back(hostile_expression(dice, names));
  }
  for (std::string& seed : seeds) seed.insert(0, prefix);
  return seeds;
}

std::string compressed(const std::string& text) {
  const TemporaryFolder folder;
  replay::write_new_text(folder / "text.gz", [&](const replay::TextSink& out) { out(text); });
  return read_text(folder / "text.gz").value();
}

template<class T>
std::string cache_payload(const char* member, const T& value) {
  std::string payload;
  process::Json::to_cbor(process::Json{{"key", "key"}, {member, process::encode(value)}}, payload);
  return payload;
}

Binary small_binary() {
  Binary binary;
  binary.image = {std::byte{0x7f}, std::byte{'E'}};
  binary.symbols = {{"k", "_Z1kv"}};
  binary.resources = {{"k", KernelResources{40, 0, 0, 0, 1024, 2048, 256, 1024, 6, 0.75, "registers"}}};
  binary.log = "log";
  binary.hash = "abc";
  return binary;
}

std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xffU);
  return text;
}

/// A file in the format ELF with the records of a kernel `k` that takes a pointer and an int.
std::string small_cubin() {
  const std::string names = std::string(1, '\0') + ".nv.info.k" + std::string(1, '\0');
  std::string records = little_endian(0x1903, 2) + little_endian(12, 2);
  for (const auto& [ordinal, offset, size] : {std::array{1, 8, 4}, std::array{0, 0, 8}})
    records += little_endian(0x1704, 2) + little_endian(12, 2) + little_endian(0, 4) +
               little_endian(static_cast<std::uint64_t>(ordinal), 2) +
               little_endian(static_cast<std::uint64_t>(offset), 2) +
               little_endian(static_cast<std::uint64_t>(size) << 18, 4);
  const std::size_t at_names = 64, at_records = at_names + names.size(),
                    at_sections = at_records + records.size();
  const auto section = [](std::uint64_t name, std::uint64_t offset, std::uint64_t size) {
    return little_endian(name, 4) + little_endian(1, 4) + std::string(16, '\0') + little_endian(offset, 8) +
           little_endian(size, 8) + std::string(24, '\0');
  };
  return "\x7f"
         "ELF\x02\x01" +
         std::string(10, '\0') + little_endian(2, 2) + little_endian(190, 2) + little_endian(1, 4) +
         std::string(16, '\0') + little_endian(at_sections, 8) + little_endian(0, 4) + little_endian(64, 2) +
         little_endian(0, 4) + little_endian(64, 2) + little_endian(2, 2) + little_endian(0, 2) + names +
         records + section(0, at_names, names.size()) + section(1, at_records, records.size());
}

std::map<std::string, Seeds, std::less<>> all_seeds() {
  const std::string cells =
      "name = c\nc = [0.5, 0.25]\ncoefficients = [[0, c[1], 0], [c[1], -1, c[1]], [0, 1/4, 0]]\n";
  std::map<std::string, Seeds, std::less<>> all;
  all["cache_entry"] = {cache_payload("binary", small_binary()),
                        cache_payload("failure", Failure{Phase::compile, "syntax", "detail"})};
  all["command_line"] = {
      "run\n--problem\nstencil3d\n--size\n64x64x64\n--strategy\nmodel:start=10\n--budget-time\n5m\n--fix\nblock_x=32",
      "best\nstencil3d\n--size=512x512x512\n--format\njson",
      "space\nstencil3d\n--where\nblock_x * block_y <= 256\n--sample\n5",
      "check\n--problem\ngemm\n--device\nemulator\n--config\nBLOCK=1",
      "list\nresults",
      "replay\n--space\na.json\nb.json\n--strategy\nrandom,grid\n--repeats\n3",
      "report\n--format\ncsv\n--out\nx.csv",
      "serve\n--port\n0",
      "db info",
      "db merge\na.db\nb.db",
      "db export\n--out\nout.t4.json",
      "db import\nin.t4.json\n--db\nnew.db",
      "data\ngenerate",
      "new\nk.cu"};
  all["compiler_log"] = {
      "ptxas info    : 24 bytes gmem\nptxas info    : Compiling entry function '_Z1kv' for 'sm_90'\n"
      "ptxas info    : Function properties for _Z1kv\n    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem\n",
      "k.cu(3): error: identifier \"x\" is undefined\n1 error detected in the compilation of \"k.cu\".\n",
      "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)\n"};
  all["compressed_file"] = {compressed(sound::t4), compressed(""), sound::ktt};
  all["cubin"] = {small_cubin()};
  all["database_page"] = {std::string("\0\x14\0\x08", 4), std::string("\x03\0\0\x05", 4),
                          std::string("\x07\x10\x01\xff", 4),
                          std::string("\x7f\0\x7f\0", 4)};  // a winner that is none of the results
  all["database_row"] = {};
  for (const char* value : {"0{\"a\": [1]}", "0", "2-9223372036854775808", "31e999"})
    for (int column = 0; column < 100; ++column)  // in steps, because the ordinary suite has time for a few
      all["database_row"].push_back(static_cast<char>(column * 37 % 100) + std::string(value));
  std::string judged = sound::native, looped = sound::native;
  judged.replace(
      judged.find("\"access\": \"write\""), 17,
      R"("access": "write", "compare": {"where": "i < n"}, "tolerance": {"absolute": "i + 1", "each": {"constant": 1}})");
  judged.insert(judged.size() - 1,
                R"(, "verify": {"command": ["cmp", "{out}", "{out.reference}", "{in.before}", "{n}"]})");
  looped.replace(looped.find("\"launches\": "), 12,
                 R"("launches": [{"zero": "out"}, {"copy": {"from": "in", "to": "out", "count": "n // 2"}},
                    {"repeat": "n", "as": "p", "swap": ["in", "out"], "launches": )");
  looped.replace(looped.find("* BLOCK\"},"), 10, "* BLOCK\"}}],");
  const std::string command =
      R"({"problem": "app", "sizes": {"n": 4}, "parameters": {"k": [1, 2], "flag": ["", "-O2"]},
      "command": {"build": "cc {flag} 'a b'", "files": ["k.cu"], "run": ["./app", "{k}{n}"], "check": "true",
      "result": {"time": {"regex": "([0-9.]+) [m]s", "unit": "ms"}, "x": {"json": "a.b[0]"}, "m": "peak memory"},
      "environment": {"N": "{n}"}, "timeout": 1, "warmup": 0}, "metrics": {"y": "x / time"}, "objective": "max:y"})";
  all["definition"] = {sound::native, sound::t1, judged, looped, command};
  all["emulator_source"] = {
      sound::kernel + std::string(1, '\0') + "#pragma once\n",
      "extern __shared__ float all[];\n__shared__ int s[3][BLOCK];\n#define A(x) x\n#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void k() { static __shared__ double d; }\n",
      "#include \"more.cuh\"\n#include <x.h>\n" + std::string(1, '\0') +
          "#include \"more.cuh\"\n#ifndef X\n"};
  all["expression"] = expressions(
      {"BLOCK * ITEMS <= 256", "mode in ['a', 'b'] and not flag", "1 << 3 if BLOCK > 2 else -n",
       "BLOCK in range(1, 65, 9)", "n >= 1 && n < 3 || !flag ? 1 : 2", "ceil_div(n, BLOCK) ** -2",
       "len({BLOCK, ITEMS, n}) == 3 and {x for x in (BLOCK, n) if x > 1} <= {1, 0x10}",
       "round(math.exp(BLOCK), 2) < lcm(n, 3, 1_0) + sum([[n]], [])[0] or (BLOCK, n) < divmod(n, 2)",
       "10 ** 20 > BLOCK << 70 and len(range(n, 9)) + [1, 2][n] * 2 in zip([1], [2])"},
      "\x05");
  all["formula"] = expressions(
      {"[16*i for i in range(1, 17)]", "list[0] * max(list)", "[2**i for i in range(5) if i != 3] + [48]",
       "sum(sorted(list)) // 3 % 2", "math.ceil(log2(n))", "np.arange(1, 9, 2)",
       "round(x) if n > 3 else (1, 2)[1]", "'a' in mode", "{1, 1.0, *list} - {2} | set(range(3))",
       "pow(3, 4, 5) + math.comb(5, 2) - 0b11", "[x * i for i, x in enumerate(reversed(list))]",
       "[(i, j) for i in range(3) for j in range(i)]"},
      "");
  all["graph_file"] = {"# edges\n0 1\n1\t2 0.5\n2,0\n",
                       "%%MatrixMarket matrix coordinate pattern symmetric\n% made\n4 4 2\n2 1\n4 3\n"};
  all["http_request"] = {sound::request.substr(0, sound::request.size() - 4), "HEAD / HTTP/1.0"};
  all["kernel_source"] = {
      "k\n" + sound::kernel,
      "\ntemplate <typename T, int N> __global__ void k(T* y, cudaTextureObject_t t, P p) {\n#if MODE == 2 && (A % 3)\n"
      "  for (int i = threadIdx.x; i < n; i += B) y[i] += tex2D<float>(t, i, 0) + c[i];\n#elif W\n  f(&y[blockIdx.x * B]);\n#endif\n}\n",
      "k<3>\n// a\n#ifndef BLOCK\n#define BLOCK 64\n#endif\ntemplate<int N> __global__ void __launch_bounds__(BLOCK)\n"
      "k(float (*a)[3], const int* __restrict__ b /* c */, int n = 3);\n#if __has_include(<x.h>)\n#include X\n#endif\n",
      "k\n#define TABLE(name, n) __constant__ float c_##name[n]\nTABLE(a, 4);\n#define D(x) __device__ x x;\nD(D(D(int)))\n"
      "#define ALIGN(n) __align__(n)\ntypedef struct ALIGN(16) P { alignas(float4) float x, y[2]; struct Q { int n; } q; }\n"
      "  __attribute__((aligned(8))) P;\n__global__ void k(decltype(1.f)* a, P p, float** b) {}\n",
      "k\nstatic constexpr int N = 4,\n  BLOCK{(3)};\nenum E { A, N = 2 };\n"
      "__kernel void k(__global float4* a) { a[N].xy = (float2)(1) + a->s01.yx * convert_float2(b.lo); }\n"};
  all["matvec_file"] = {sound::matvec_file(8, 4, 8 * 4 + 4), sound::matvec_file(8, 4, 8 + 4),
                        sound::matvec_file(8, 4, 8)};
  all["option_value"] = {"aBLOCK=32,mode=a,x=2.5",
                         "b500M",
                         "b1.5T",
                         "c17",
                         "dcuda:0",
                         "kblock_x=32, mode=a",
                         "rsm_90",
                         "rsm_100a",
                         "s1%",
                         "s0.01",
                         "t1.5h",
                         "t90",
                         "v-2.5e3",
                         "vtrue",
                         "Sannealing",
                         "Smodel:start=10,kernel=matern"};
  all["problem_choice"] = {"\1\n64x64x64\ntype=double\nblock_x=32\nblock_x * block_y <= 256", "\2\n\n\n\n",
                           "\3\n100x200\n\n\nvariant == direct", "\4\n0x1\nradius=2,shape=box\n\n"};
  all["project_file"] = {
      "problem = \"stencil3d\"\n[run]\nset = {radius = 4, type = 'double'}\nbudget-evals = 50\nfresh = true\n",
      "[run]\nfix = [\"block_x=32\", \"vector=4\"]\nspread = 0.01\nkeep-sources = \"kept\"\n",
      "[db.export]\nas = \"t4\"\n", "size = \n", "a.b.c = [[1], {x = 1979-05-27}]\n"};
  all["python_script"] = {
      "import numpy as np\nfrom kernel_tuner import tune_kernel, run_kernel\n"
      "source = '''__global__ void add(float* c, const float* a, int n) {\n  int i = blockIdx.x * block_size_x + threadIdx.x;\n"
      "  if (i < n) c[i] = a[i];\n}'''\n"
      "def rules(p):\n  if p['block_size_x'] > 64:\n    return p['tile'] == 1\n  return True\n"
      "size = (4096, 2048)\nn = np.prod(size)\na = np.random.rand(n).astype(np.float32) * 2\nc = np.zeros_like(a)\n"
      "params = dict()\nparams['block_size_x'] = [32 * i for i in range(1, 5) if i != 3]\nparams[f'{\"tile\"}'] = [1, 2]\n"
      "args = [c, a[:], np.int32(n)]\nr = run_kernel('add', source, n, args, {'block_size_x': 32})\n"
      "tune_kernel('add', source, n, args, params, grid_div_x=['block_size_x', 'tile'], restrictions=[rules, 'tile < 3'],\n"
      "  answer=[r[0], None, None], metrics={'GB/s': lambda p: 8 * n / p['time']}, cmem_args={'w': np.ones(3)})\n",
      "class A:\n  def go(self, n=5):\n    self.n = n // 2\n    for i, x in enumerate(sorted({3, 1})):\n      n += i\n"
      "    while n > 3: n -= 1\n    x = {k: v for k, v in zip('ab', (1, 2.5e3))}\n    tune_kernel('k', 'k.cu', n, [], x, *x, **x)\n",
      "import own, sys\nfrom own import *\nfrom own import f as g, n\nfrom jinja2 import Template\nsys.path.append('..')\nn = 3\n"
      "def f(p): return Template(open('own.cu').read()).render(**p, a='b')\n"
      "t = Template('__global__ void k(int* x) {\\n  {%- if n == 1 and b -%}\\n x[{{ b }}] = {{ n * 2 }};\\n{% else %}\\n{% endif %}{# c #}\\n}')\n"
      "tune_kernel('k', f, n, [], {'b': [1]})\ntune_kernel('k', t.render, own.n, [], {'b': [g]})\n",
      "import argparse, sys\np = argparse.ArgumentParser()\np.add_argument('-n', '--size', type=int, default='50')\na = p.parse_args()\n"
      "n = m = len(sys.argv) + a.size\nx = np.linspace(0, 1, n)\nfor k, v in load().items(): x[k] = v\n"
      "d = {**load(), 'b': np.logspace(0, 3, 4, base=2)}\ndel d['b'], d[k]\nd.update(load())\nif n.odd: d['c'] = [1]\n"
      "while load(): d['e'] = [1]\ntune_kernel('k', '', x.nbytes, [np.concatenate([x, x]), np.diff(x)], d, **load())\n",
      "template <typename T>\n__global__ void k(T* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n"
      "using types = nvbench::type_list<float, double>;\ntemplate <typename T>\nvoid b(nvbench::state& state, nvbench::type_list<T>) {\n"
      "  const auto n = static_cast<int>(state.get_int64(\"Elements\"));\n  k<T><<<(n + 255) / 256, 256>>>(x, n);\n}\n"
      "NVBENCH_BENCH_TYPES(b, NVBENCH_TYPE_AXES(types)).set_type_axes_names({\"T\"})\n"
      "  .add_int64_power_of_two_axis(\"Elements\", nvbench::range(16, 20, 2)).add_string_axis(\"s\", {\"a\", \"b\"});\n"};
  all["result_file"] = {sound::t4, sound::kernel_tuner, sound::ktt};
  all["stencil_file"] = {sound::stencil, cells};
  all["stored_configuration"] = {R"({"BLOCK": 32, "mode": "a\u00e9\n", "flag": true, "x": -2.5e3})", "{}",
                                 "1e5"};
  return all;
}

}  // namespace

const std::vector<std::string>& fuzz_seeds(std::string_view target) {
  static const auto all = all_seeds();
  const auto found = all.find(target);
  if (found == all.end()) throw std::out_of_range("no seeds for this target");
  return found->second;
}

}  // namespace tune::testing
