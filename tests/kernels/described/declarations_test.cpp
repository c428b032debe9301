// SPDX-License-Identifier: Apache-2.0
// What a definition says is compared with what the kernel's file declares.
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using ::testing::HasSubstr;

class Declarations : public ::testing::Test {
 protected:
  /// A problem of the kernel, with these further arguments beside `a` (floats) and `n`.
  DescribedProblem problem(const std::string& kernel, const std::string& arguments,
                           const std::string& entry = "k", const std::string& more = "") {
    std::ofstream(folder_.path() / "k.cu") << kernel;
    const std::string text = format(
        R"({{"problem": "t", "kernel": "k.cu", "sizes": {{"n": 100}}, "parameters": {{"BLOCK": [64, 128]}}{}, )"
        R"("arguments": {{"a": {{"type": "float", "size": "n", "access": "write"}},
                          "n": {{"type": "int", "value": "n"}}{}}},
            "launches": {{"entry": "{}", "grid": 1, "block": "BLOCK"}}}})",
        more, arguments, entry);
    return DescribedProblem(parse_definition(folder_.path() / "d.json", text));
  }
  /// The message of a definition that is refused; empty where it is taken.
  std::string refused(const std::string& kernel, const std::string& arguments = "",
                      const std::string& entry = "k", const std::string& more = "") {
    try {
      problem(kernel, arguments, entry, more);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  static LaunchPlan plan_of(const DescribedProblem& problem) {
    struct NoSources : KernelSources {
      std::string text(std::string_view) const override { throw Error("nobody asks"); }
    };
    return *problem.plan(make_instance(problem.info(), "", {}), {{"BLOCK", 64}}, NoSources());
  }
  static std::string symbol(const std::string& of, const std::string& type = "float") {
    return format(R"(, "c": {{"type": "{}", "size": 4, "symbol": "{}", "fill": 2}})", type, of);
  }

  tune::testing::TemporaryFolder folder_;
};

const std::string kernel = "__global__ void k(float* a, int n) {}\n";

TEST_F(Declarations, OfVariablesGiveSymbolsTheirNamespaces) {
  const std::string variables =
      "namespace z { __constant__ float c[4]; namespace y { __device__ float e[4]; } }\n"
      "namespace { static __constant__ float f[4]; }\n"
      "#define CONST __constant__\nCONST float g[4] = {1, 2}, h[4];\nextern \"C\" { __constant__ float i[4]; }\n";
  const auto name = [&](const std::string& wanted) {
    return plan_of(problem(variables + kernel, symbol(wanted))).buffer("c").symbol;
  };
  EXPECT_EQ(name("c"), "z::c");
  EXPECT_EQ(name("z::c"), "z::c");
  EXPECT_EQ(name("y::e"), "z::y::e");
  EXPECT_EQ(name("f"), "f");
  EXPECT_EQ(name("h"), "h");
  EXPECT_EQ(name("i"), "i");
  EXPECT_THAT(refused(variables + kernel, symbol("z::d")),
              HasSubstr("arguments.c: symbol 'z::d': no file of the kernel declares such a __constant__ or "
                        "__device__ variable (did you mean 'z::c'?)"));
  EXPECT_THAT(refused(kernel, symbol("a")), HasSubstr("no file of the kernel declares"));
  EXPECT_THAT(refused("namespace x { __constant__ float c[4]; }\n" + variables + kernel, symbol("c")),
              HasSubstr("the kernel's files have 'x::c' and 'z::c': name one with its namespace"));
}

TEST_F(Declarations, OfVariablesHaveTheTypesOfTheirContents) {
  EXPECT_THAT(
      refused("__constant__ double c[4];\n" + kernel, symbol("c")),
      HasSubstr("it is 'double c[4]' (k.cu:1), but 'c' has the type float: give it the kernel's type"));
  EXPECT_THAT(refused("#define REAL int\n__constant__ REAL c[4];\n" + kernel, symbol("c")),
              HasSubstr("it is 'REAL c[4]' (k.cu:2), but 'c' has the type float"));
  EXPECT_THAT(refused("__device__ float* c;\n" + kernel, symbol("c")), HasSubstr("a pointer"));
  EXPECT_EQ(refused("__constant__ unsigned c[4];\n" + kernel, symbol("c", "int")), "");
  EXPECT_EQ(refused("__constant__ float4 c;\n" + kernel, symbol("c")), "");
}

// The type may be a setting, in the definition or in the file.
TEST_F(Declarations, OfVariablesAreComparedForEachType) {
  const std::string setting = R"(, "settings": {"REAL": {"values": ["float", "double"]}})";
  const auto misfit = [&](const std::string& given, const std::string& declared) {
    return refused(declared + " c[4];\n" + kernel, symbol("c", given), "k", setting);
  };
  EXPECT_EQ(misfit("REAL", "__constant__ REAL"), "");
  EXPECT_EQ(misfit("REAL", "typedef REAL real;\n__device__ real"), "");
  EXPECT_THAT(misfit("REAL", "__constant__ float"),
              HasSubstr("symbol 'c': it is 'float c[4]' (k.cu:1), but 'c' has the type double: give it the "
                        "kernel's type (where REAL is double)"));
  EXPECT_THAT(misfit("float", "__constant__ REAL"),
              HasSubstr("it is 'REAL c[4]' (k.cu:1), but 'c' has the type float: give it the kernel's type "
                        "(where REAL is double; \"type\": \"REAL\" follows it, if REAL is a setting)"));
}

TEST_F(Declarations, OfVariablesMayStandInMacros) {
  const std::string text =
      "#define TABLE(name, n) __constant__ float name[n]\n#define PASTED(T, name) namespace q { __device__ T c_##name[4]; }\n"
      "TABLE(c, 4);\nPASTED(int, d)\n" +
      kernel;
  EXPECT_EQ(plan_of(problem(text, symbol("c"))).buffer("c").symbol, "c");
  EXPECT_EQ(plan_of(problem(text, symbol("c_d", "int"))).buffer("c").symbol, "q::c_d");
  EXPECT_FALSE(plan_of(problem(text, symbol("c_d", "int"))).buffer("c").symbol_is_hidden);
  EXPECT_THAT(
      refused(text, symbol("c", "double")),
      HasSubstr("it is 'float c[4]' (k.cu:3), but 'c' has the type double: give it the kernel's type"));
  EXPECT_THAT(refused(text, symbol("c_d")),
              HasSubstr("it is 'int c_d[4]' (k.cu:4), but 'c' has the type float"));
  // What the text does not show, the binary must have.
  const BufferSpec hidden = plan_of(problem(text, symbol("c_e"))).buffer("c");
  EXPECT_TRUE(hidden.symbol_is_hidden);
  EXPECT_EQ(
      missing_variable({hidden}, {"c", "q::c_d"}),
      "symbol 'c_e' of 'c': the compiled kernel has no such __constant__ or __device__ variable, but c, q::c_d");
  EXPECT_EQ(missing_variable({hidden}, {"c_e"}), "");
}

TEST_F(Declarations, OfVariablesMayBeNumbersAndStructs) {
  const std::string variables =
      "struct __align__(16) P { float x; int y; };\n__constant__ P p;\n__constant__ float s;\n";
  const DescribedProblem made = problem(variables + kernel,
                                        R"(, "s": {"type": "float", "value": "n / 8", "symbol": "s"},
         "p": {"struct": [{"type": "float", "value": 2}, {"type": "int", "value": "n"}],
               "symbol": "p"})");
  const LaunchPlan plan = plan_of(made);
  EXPECT_EQ(std::get<Launch>(plan.launches.at(0)).arguments.size(), 2U);
  EXPECT_EQ(plan.buffer("s").symbol, "s");
  EXPECT_EQ(plan.buffer("p").allocation_bytes(), 16U);
  const TensorSet inputs = made.inputs(make_instance(made.info(), "", {}), 1);
  EXPECT_EQ(inputs.at("s").as<float>()[0], 12.5F);
  int y = 0;
  std::memcpy(&y, inputs.at("p").as<std::uint8_t>().data() + 4, sizeof y);
  EXPECT_EQ(y, 100);
  EXPECT_THAT(
      refused(
          variables + kernel,
          R"(, "p": {"struct": [{"type": "int", "value": 2}, {"type": "int", "value": 3}], "symbol": "p"})"),
      HasSubstr("whose struct P has 'float x' where field 1 is of the type int32"));
}

TEST_F(Declarations, KnowTheTypesOfTemplatesMacrosAndNamespaces) {
  const auto of = [&](const std::string& type, const std::string& text, const std::string& entry) {
    return refused(text + "{}", format(R"(, "s": {{"type": "{}", "value": 1}})", type), entry);
  };
  const std::string scaled = "template<class T> __global__ void k(float* a, int n, T s)";
  EXPECT_THAT(of("int", scaled, "k<float>"),
              HasSubstr("argument 3 of kernel 'k<float>' is 'float s', but 's' has the type int"));
  EXPECT_EQ(of("float", scaled, "k<float>"), "");
  EXPECT_EQ(of("int", scaled, "k<BLOCK>"), "");  // only the compiler knows
  const std::string macro = "#define REAL float\n__global__ void k(float* a, int n, REAL s)";
  EXPECT_THAT(of("int", macro, "k"), HasSubstr("is 'float s', but 's' has the type int"));
  EXPECT_EQ(of("int", "#ifdef X\n#define REAL float\n#else\n#define REAL int\n#endif\n" + macro, "k"), "");
  const std::string named = "namespace q { typedef float r; __global__ void k(float* a, int n, q::r s)";
  EXPECT_THAT(of("double", named, "q::k"), HasSubstr("'q::r s', but 's' has the type double"));
  EXPECT_EQ(of("float", named, "q::k"), "");
  EXPECT_EQ(of("int", "enum class E { x, y };\n__global__ void k(float* a, int n, E s)", "k"), "");
  // A macro that the definition sets may be anything.
  EXPECT_EQ(refused("#ifndef REAL\n#define REAL float\n#endif\n__global__ void k(float* a, int n, REAL s) {}",
                    R"(, "s": {"type": "REAL", "value": 1})", "k",
                    R"(, "settings": {"REAL": {"values": ["float", "double"]}})"),
            "");
}

TEST_F(Declarations, OfTypesAreFoundWhereTheFileSaysThem) {
  const std::string arguments = R"(, "b": {"type": "double", "size": "n"})";
  const auto misfit = [&](const std::string& before, const std::string& type, const std::string& entry = "k",
                          const std::string& more = "") {
    return refused(before + " __global__ void k(float* a, int n, " + type + " b) {}\n", arguments, entry,
                   more);
  };
  const std::string choice = "#ifdef DP\ntypedef double real;\n#else\ntypedef float real;\n#endif\n";
  EXPECT_THAT(misfit(choice, "real*"), HasSubstr("'real* b', but 'b' has the type double"));
  EXPECT_EQ(refused("#define DP\n" + choice + "__global__ void k(float* a, int n, real* b) {}\n", arguments),
            "");
  EXPECT_EQ(misfit("#ifdef BLOCK\nusing real = double;\n#else\nusing real = float;\n#endif\n", "real*"), "");
  EXPECT_THAT(
      misfit("#if !defined(BLOCK) || 0\nusing real = double;\n#else\nusing real = float;\n#endif\n", "real*"),
      HasSubstr("has the type double"));
  EXPECT_THAT(refused("__global__ void k(float* a, int n, const float (*b)[64]) {}\n", arguments),
              HasSubstr("has the type double"));
  EXPECT_THAT(misfit("template<class T> using V = T;\n", "const V<float>*"),
              HasSubstr("has the type double"));
  EXPECT_THAT(misfit("template<class T> using P = const T*;\n", "P<float>"),
              HasSubstr("has the type double"));
  EXPECT_EQ(misfit("template<class T> using P = const T*;\n", "P<double>"), "");
  EXPECT_THAT(misfit("#define PTR(T) const T* __restrict__\n", "PTR(float)"),
              HasSubstr("has the type double"));
  EXPECT_EQ(misfit("#define PTR(T) const T* __restrict__\n", "PTR(double)"), "");
  EXPECT_THAT(misfit("template<class T = float, class U = T>", "U*", "k<>"),
              HasSubstr("has the type double"));
  EXPECT_EQ(misfit("template<class T = float, class U = T>", "U*", "k<double>"), "");
}

TEST_F(Declarations, OfArraysOfStructsHaveTheirNumbers) {
  const auto misfit = [&](const std::string& of, const std::string& type) {
    return refused(
        "struct S { float x, y; int id; };\nstruct F { float x, y; };\n"
        "__global__ void k(float* a, int n, const " +
            of + "* b) {}\n",
        format(R"(, "b": {{"type": "{}", "size": "3 * n"}})", type));
  };
  EXPECT_EQ(misfit("F", "float"), "");
  EXPECT_EQ(misfit("S", "uint8"), "");
  EXPECT_THAT(misfit("F", "double"), HasSubstr("whose struct F has 'float x', but 'b' has the type double"));
  EXPECT_THAT(misfit("S", "float"), HasSubstr("whose struct S has 'int id', but 'b' has the type float"));
}

TEST_F(Declarations, OfTypesThatAreNotUnderstoodAreNoted) {
  const auto notes = [&](const std::string& type, const std::string& given = "double") {
    return problem(
               "#include <x.h>\n#if X > 2\nusing R = float;\n#else\nusing R = double;\n#endif\n"
               "__global__ void k(float* a, int n, " +
                   type + " b) {}\n",
               format(R"(, "b": {{"type": "{}", "size": "n"}})", given))
        .description()
        .notes;
  };
  EXPECT_THAT(
      notes("decltype(f())*"),
      ::testing::ElementsAre("types that were not compared with those of the kernel 'k', which are not "
                             "understood: 'b' (double) with 'decltype(f())* b'"));
  EXPECT_THAT(notes("R*"), ::testing::ElementsAre(HasSubstr("'b' (double) with 'R* b'")));
  EXPECT_THAT(notes("other::T*"), ::testing::ElementsAre(HasSubstr("'b' (double) with 'other::T* b'")));
  EXPECT_THAT(notes("double*"), ::testing::IsEmpty());
  EXPECT_THAT(notes("void*"), ::testing::IsEmpty());
}

TEST_F(Declarations, FollowTheOptions) {
  const std::string text =
      "#ifdef DOUBLES\nusing R = double;\n#else\nusing R = float;\n#endif\n__global__ void k(float* a, int n, R* b) {}\n";
  const auto said = [&](const std::string& type, const std::string& options) {
    std::ofstream(folder_.path() / "k.cu") << text;
    try {
      const DescribedProblem made(parse_definition(
          folder_.path() / "d.json", R"({"problem": "t", "kernel": {"file": "k.cu", "options": [)" + options +
                                         R"(]}, "sizes": {"n": 100}, "parameters": {"ITEMS": [1, 2]},
          "arguments": {"a": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"},
                        "b": {"type": ")" +
                                         type + R"(", "size": "n"}},
          "launches": {"entry": "k", "grid": "ITEMS", "block": 64}})"));
      return joined(made.description().notes);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(said("float", R"("-DDOUBLES")"), HasSubstr("'R* b', but 'b' has the type float"));
  EXPECT_THAT(said("double", ""), HasSubstr("'R* b', but 'b' has the type double"));
  EXPECT_EQ(said("double", R"("-D", "DOUBLES=1")"), "");
  EXPECT_THAT(refused("#include <cuComplex.h>\n__global__ void k(float* a, int n, cuFloatComplex* b) {}\n",
                      R"(, "b": {"type": "double", "size": "n"})"),
              HasSubstr("has the type double"));
}

TEST_F(Declarations, OfAnotherSignAreNoted) {
  const auto notes = [&](const std::string& type, const std::string& given) {
    return problem("#include <cstdint>\nenum Mode { fast };\n__global__ void k(float* a, int n, " + type +
                       " b) {}\n",
                   format(R"(, "b": {{"type": "{}", {}}})", given,
                          type.ends_with('*') ? "\"size\": \"n\"" : "\"value\": \"n\""))
        .description()
        .notes;
  };
  EXPECT_THAT(notes("unsigned*", "int"),
              ::testing::ElementsAre(HasSubstr("sign than those of the kernel 'k', which takes a negative "
                                               "number for a large one, or a large one for a negative: "
                                               "'b' (int) with 'unsigned* b'")));
  EXPECT_THAT(notes("std::int64_t", "uint64"),
              ::testing::ElementsAre(HasSubstr("'b' (uint64) with 'std::int64_t b'")));
  EXPECT_THAT(notes("Mode", "unsigned"), ::testing::IsEmpty());
  EXPECT_THAT(notes("unsigned*", "uint32"), ::testing::IsEmpty());
  EXPECT_THAT(notes("int4*", "int"), ::testing::IsEmpty());
}

// Each value of a parameter or setting is a type of its own.
TEST_F(Declarations, OfTypesThatAreParametersAreComparedForEachValue) {
  const auto misfit = [&](const std::string& more, const std::string& given, const std::string& text,
                          const std::string& entry = "k<REAL>") {
    return refused(text, R"(, "b": {"type": ")" + given + R"(", "size": "n"})", entry, more);
  };
  const std::string templated = "template<class T> __global__ void k(float* a, int n, const T* b) {}\n",
                    setting = R"(, "settings": {"REAL": {"values": ["float", "double"]}})";
  EXPECT_EQ(misfit(setting, "REAL", templated), "");
  EXPECT_THAT(
      misfit(setting, "float", templated),
      HasSubstr("arguments.b: argument 3 of kernel 'k<double>' is 'const double* b', but 'b' has the type "
                "float: give it the kernel's type (where REAL is double; \"type\": \"REAL\" follows it, "
                "if REAL is a setting)"));
  EXPECT_THAT(misfit(setting, "REAL", templated, "k<float>"),
              HasSubstr("argument 3 of kernel 'k<float>' is 'const float* b', but 'b' has the type double"));
  // Of four bytes, too.
  const std::string ints = R"(, "settings": {"REAL": {"values": ["float", "int32_t"]}})";
  EXPECT_THAT(misfit(ints, "float", templated),
              HasSubstr("is 'const int32_t* b', but 'b' has the type float"));
  // As a macro, behind a typedef, and as a macro that follows it.
  const std::string macro = "typedef REAL real;\n__global__ void k(float* a, int n, const real* b) {}\n";
  EXPECT_EQ(misfit(setting, "REAL", macro, "k"), "");
  EXPECT_THAT(misfit(setting, "double", macro, "k"), HasSubstr("has the type double"));
  EXPECT_THAT(misfit(setting, "REAL", "__global__ void k(float* a, int n, const float* b) {}\n", "k"),
              HasSubstr("has the type double"));
  // What constraints leave out, or the launch.
  const std::string parameter =
      R"j(, "parameters": {"BLOCK": [64, 128], "REAL": ["float", "double", "half"]})j";
  const auto only = [&](const std::string& rule, const std::string& when) {
    std::ofstream(folder_.path() / "k.cu") << templated;
    const std::string text =
        R"j({"problem": "t", "kernel": "k.cu", "sizes": {"n": 100}, "constraints": [)j" + rule + "]" +
        parameter +
        R"j(, "arguments": {"a": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"},
             "b": {"type": "float", "size": "n"}},
            "launches": {"entry": "k<REAL>", "grid": 1, "block": "BLOCK")j" +
        when + "}}";
    try {
      DescribedProblem(parse_definition(folder_.path() / "d.json", text));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(only("", ""), HasSubstr("where REAL is double"));
  EXPECT_THAT(only(R"("REAL != 'double'")", ""), HasSubstr("where REAL is half"));
  EXPECT_EQ(only(R"("REAL == 'float' or BLOCK > 128")", R"(, "if": "REAL == 'float' and BLOCK > 1")"), "");
}

TEST_F(Declarations, OfTypesThatOptionsDefine) {
  const auto misfit = [&](const std::string& value, const std::string& given) {
    std::ofstream(folder_.path() / "k.cu")
        << "#ifndef REAL\n#define REAL float\n#endif\n__global__ void k(const REAL* b) {}\n";
    const std::string text = format(
        R"({{"problem": "t", "kernel": {{"file": "k.cu", "options": ["-DREAL={}"]}}, "sizes": {{"n": 100}},
             "parameters": {{"BLOCK": [64]}}, "settings": {{"type": {{"values": ["float", "double"]}}}},
             "arguments": {{"b": {{"type": "{}", "size": "n", "access": "write"}}}},
             "launches": {{"entry": "k", "grid": 1, "block": "BLOCK"}}}})",
        value, given);
    try {
      DescribedProblem(parse_definition(folder_.path() / "d.json", text));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(misfit("double", "double"), "") << "not the default of the file";
  EXPECT_THAT(misfit("double", "float"), HasSubstr("is 'const double* b', but 'b' has the type float"));
  EXPECT_EQ(misfit("type", "type"), "");
  EXPECT_THAT(misfit("type", "float"), HasSubstr("is 'const double* b', but 'b' has the type float"));
}

TEST_F(Declarations, OfAddressesOfAddressesTakeNoArray) {
  const auto misfit = [&](const std::string& type, const std::string& given) {
    return refused("typedef float* row;\n__global__ void k(float* a, int n, " + type + " b) {}\n",
                   R"(, "b": {"size": "n", "type": )" + given + "}");
  };
  for (const char* const type : {"float**", "float* const*", "row*", "void**"})
    EXPECT_THAT(misfit(type, R"("float")"),
                HasSubstr("b', an array of addresses, which nothing can fill: pass one array for all, or a "
                          "struct by value of the addresses"))
        << type;
  EXPECT_THAT(misfit("float**", R"("uint64")"), HasSubstr("an array of addresses"));
  EXPECT_EQ(misfit("float**", R"("uint64", "access": "scratch")"), "") << "a launch may fill it";
  EXPECT_EQ(misfit("void*", R"("int64")"), "");
  EXPECT_EQ(misfit("row", R"("float")"), "");
  EXPECT_THAT(refused("__global__ void k(float* a, int n, float* b[4]) {}\n",
                      R"(, "b": {"size": "n", "type": "float"})"),
              HasSubstr("an array of addresses"));
  EXPECT_EQ(refused("__global__ void k(float* a, int n, float b[4][4]) {}\n",
                    R"(, "b": {"size": "n", "type": "float"})"),
            "");
}

TEST_F(Declarations, OfSimpleValuesHaveTheirTypes) {
  const auto misfit = [&](const std::string& type) {
    return refused("template<class T> __global__ void k(T* a, int n, " + type + " b) {}\n",
                   R"(, "b": {"size": "n", "type": "float"})", "k<float>");
  };
  EXPECT_THAT(misfit("decltype(1.0)*"), HasSubstr("is 'double* b', but 'b' has the type float"));
  EXPECT_THAT(misfit("const decltype(n)*"), HasSubstr("is 'const int* b', but 'b' has the type float"));
  EXPECT_THAT(misfit("decltype(10ull) *"), HasSubstr("'unsigned long long * b'"));
  for (const char* const same :
       {"decltype(1.f)*", "decltype(a)", "const decltype(T())*", "decltype(float{})*"})
    EXPECT_EQ(misfit(same), "") << same;
}

TEST_F(Declarations, OfArgumentsInMacrosAreLeftToTheCompiler) {
  EXPECT_EQ(refused("#define ARGS(T) T* a, int n\n__global__ void k(ARGS(float)) {}"), "");
  EXPECT_EQ(refused("__global__ void k(float* a\n#ifdef EXTRA\n, float* x\n#endif\n, int n) {}"), "");
  const std::string list = "#define ARGS double* a, int n\n__global__ void k(ARGS) {}";
  EXPECT_THAT(refused(list),
              HasSubstr("argument 1 of kernel 'k' is 'double* a', but 'a' has the type float"));
  EXPECT_EQ(refused("#define ARGS float* a, int n\n__global__ void k(ARGS) {}"), "");
}

TEST_F(Declarations, OfStructsHaveTheFieldsOfTheDefinition) {
  const auto of = [&](const std::string& fields, const std::string& given) {
    return refused("struct Q { double d; };\ntypedef struct { " + fields +
                       " } P;\n__global__ void k(float* a, int n, " +
                       (given.find("buffer") == std::string::npos ? "float* b, " : "") + "const P p) {}",
                   R"(, "b": {"type": "float", "size": "n"}, "p": {"struct": [)" + given + "]}");
  };
  const std::string numbers =
      R"({"type": "int", "value": 1}, {"name": "x", "type": "float", "value": [1, 2]})";
  EXPECT_EQ(of("int m; float x[2];", numbers), "");
  EXPECT_EQ(of("public: int m = 3; float2 x; __device__ int get() const { return m; }", numbers), "");
  EXPECT_EQ(of("int m : 4; float x[2], y;", numbers), "");  // not understood
  EXPECT_THAT(of("float m; float x[2];", numbers),
              HasSubstr("whose struct P has 'float m' where field 1 is of the type int32"));
  EXPECT_THAT(of("int m; double x[2];", numbers), HasSubstr("'double x[2]' where 'x' is of the type float"));
  EXPECT_THAT(of("int m, n; float x[2];", numbers),
              HasSubstr("whose struct P has 'int n' where 'x' is of the type float"));
  EXPECT_THAT(of("int* m; float x[2];", numbers), HasSubstr("'int* m' where field 1 is of the type int"));
  EXPECT_THAT(of("int m; Q x;", numbers), HasSubstr("'double d' where 'x' is of the type float"));
  EXPECT_THAT(of("Q m;", R"({"struct": [{"type": "float", "value": 1}]})"),
              HasSubstr("whose struct P has 'double d' where field 1 is of the type float"));
  EXPECT_THAT(of("int m; float x[3];", numbers),
              HasSubstr("whose struct P has 4 numbers and addresses (int m, float x[3]), 3 are given"));
  EXPECT_EQ(of("int m; float x, y;", numbers), "");  // as bytes they are the same
  EXPECT_EQ(of("const float* m;", R"({"buffer": "b"})"), "");
  EXPECT_THAT(of("float m;", R"({"buffer": "b"})"), HasSubstr("field 1 is the address of an array"));
}

// `align` says nothing: the file does.
TEST_F(Declarations, OfStructsHaveTheAlignmentOfTheFile) {
  const std::string
      two = R"({"type": "float", "value": 1}, {"name": "x", "type": "float", "value": 2})",
      five = R"({"type": "int", "value": 1}, {"name": "x", "type": "float", "value": [1, 2, 3, 4]})",
      inner = R"({"type": "int", "value": 1}, {"struct": [)" + two + R"(]}, {"type": "char", "value": 1})";
  const auto text = [](const std::string& declared) {
    return "#define ALIGN(n) __align__(n)\n#define WIDE alignas(32)\n" + declared +
           "\n__global__ void k(float* a, int n, P p) {}\n";
  };
  const auto argument = [](const std::string& fields, const std::string& more = "") {
    return R"(, "p": {"struct": [)" + fields + "]" + more + "}";
  };
  const auto bytes = [&](const std::string& declared, const std::string& fields) {
    const LaunchPlan plan = plan_of(problem(text(declared), argument(fields)));
    return std::get<StructArgument>(std::get<Launch>(plan.launches.at(0)).arguments.at(2)).bytes.size();
  };
  EXPECT_EQ(bytes("struct P { float x, y; };", two), 8U);
  for (const char* const declared :
       {"struct __align__(16) P { float x, y; };", "struct alignas(16) P { float x, y; };",
        "struct P { float x, y; } __attribute__((aligned(16)));", "struct ALIGN(16) P { float x, y; };",
        "typedef struct __builtin_align__(16) { float x, y; } P;",
        "typedef struct __align__(16) P { float x, y; } P;", "struct alignas(float4) P { float x, y; };",
        "typedef struct { float x, y; } __align__(16) P;", "struct P { alignas(16) float x; float y; };"})
    EXPECT_EQ(bytes(declared, two), 16U) << declared;
  EXPECT_EQ(bytes("struct WIDE P { float x, y; };", two), 32U);
  // Members that are aligned, given as the same numbers.
  EXPECT_EQ(bytes("struct P { int n; float x[4]; };", five), 20U);
  EXPECT_EQ(bytes("struct P { int n; float4 x; };", five), 32U);
  EXPECT_EQ(bytes("struct P { int n; alignas(8) float x[4]; };", five), 24U);
  EXPECT_EQ(bytes("struct __align__(8) Q { float x, y; }; struct P { int n; Q q; char c; };", inner), 24U);
  EXPECT_THAT(
      refused(text("struct P { float x, y; };"), argument(two, R"(, "align": 16)")),
      HasSubstr("argument 3 of kernel 'k' is 'P p', whose struct P (k.cu:3) is aligned to 4 bytes, 'align' "
                "says 16: leave it out"));
  EXPECT_EQ(refused(text("struct __align__(16) P { float x, y; };"), argument(two, R"(, "align": 16)")), "");
  EXPECT_THAT(refused(text("struct P { int n; float x, y; float2 z; };"), argument(five)),
              HasSubstr("whose struct P (k.cu:3) has 'float2 z' at byte 16, where 'x' would lie at byte 12"));
  // What is packed is not understood, and told.
  const std::string packed = text("#pragma pack(1)\nstruct P { float x, y; };");
  EXPECT_THAT(problem(packed, argument(two)).description().notes,
              ::testing::ElementsAre(HasSubstr("'p' (struct) with 'P p'")));
}

TEST_F(Declarations, OfNamesThatADefinitionUsesToo) {
  const auto lines = [&](const std::string& text, const std::string& more = "") {
    std::string all;
    const DescribedProblem made = problem(text, "", "k", more);
    for (const std::string& note : made.description().notes) all += note + "\n";
    return all;
  };
  std::ofstream(folder_.path() / "k.cu") << "constexpr int ITEMS = 1;\n" + kernel;
  const DescribedProblem made(parse_definition(
      folder_.path() / "d.json",
      R"({"problem": "t", "kernel": "k.cu", "sizes": {"n": 100}, "parameters": {"ITEMS": [1, 2]},
          "arguments": {"a": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"}},
          "launches": {"entry": "k", "grid": "ITEMS", "block": 64}})"));
  ASSERT_EQ(made.description().notes.size(), 1U);
  EXPECT_EQ(made.description().notes[0],
            "parameter 'ITEMS' changes the launch alone: k.cu:1 declares 'constexpr int ITEMS' itself");
  EXPECT_THAT(lines(kernel, R"(, "settings": {"mode": {"values": ["x", "y"]}})"),
              HasSubstr("setting 'mode' changes nothing"));
  EXPECT_EQ(lines(kernel, R"(, "settings": {"n2": {"values": [1, 2]}}, "work": {"flops": "n2"})"), "");
  EXPECT_THAT(refused("#undef BLOCK\nconstexpr int BLOCK = 64;\n" + kernel),
              HasSubstr("k.cu:1: '#undef BLOCK' removes the parameter 'BLOCK'"));
  EXPECT_EQ(refused(kernel + "#undef BLOCK\n"), "");
  EXPECT_EQ(refused("#pragma push_macro(\"BLOCK\")\n#undef BLOCK\n#pragma pop_macro(\"BLOCK\")\n" + kernel +
                    "int x = BLOCK;"),
            "");
  EXPECT_THAT(refused("#define X 1\n#if X\n#define BLOCK 64\n#endif\n" + kernel),
              HasSubstr("k.cu:3: '#define BLOCK 64' replaces the parameter 'BLOCK'"));
  EXPECT_EQ(refused("#define X 0\n#if X\n#define BLOCK 64\n#endif\n" + kernel), "");
}

// A macro of that name would replace the variable.
TEST_F(Declarations, OfFurtherVariablesAreNoMacros) {
  const auto takes = [&](const std::string& text) {
    const std::string all = text + kernel;
    const LaunchPlan plan = plan_of(problem(all, ""));
    return std::ranges::any_of(plan.compile.defines, [](const auto& one) { return one.first == "BLOCK"; });
  };
  EXPECT_FALSE(takes("int main() { float *a, *BLOCK; }\n"));
  EXPECT_FALSE(takes("int main() { float a = f(1, 2), *c, BLOCK[3]; }\n"));
  EXPECT_FALSE(takes("int x, y = 3, BLOCK;\n"));
  EXPECT_FALSE(takes("void f(int a) { dim3 grid(a), BLOCK(32, 1); }\n"));
  for (const char* const used :
       {"float a[] = {1, BLOCK};", "void f() { int a = g(1, BLOCK), b = BLOCK; }",
        "A<unsigned int, BLOCK> a;", "void f() { int a = g<unsigned int, BLOCK>(3), b = 1; }",
        "template<class T, class U> void f(A<typename T::type, BLOCK> x);", "void f() { h(x, BLOCK); }",
        "int b; void f(int a, int c) { a = 1, BLOCK; }"})
    EXPECT_TRUE(takes(std::string(used) + "\n")) << used;
}

TEST_F(Declarations, OfReferencesAndOfKernelsThatJudge) {
  const std::string both = kernel + "__global__ void right(float* a, int n) {}\n";
  const std::string launches = R"("launches": {"entry": "right", "grid": 1, "block": 32})";
  EXPECT_EQ(problem(both, "", "k", R"(, "reference": {)" + launches + "}").compared_with(),
            "the reference kernel of k.cu");
  EXPECT_THAT(refused(both, "", "k", R"(, "reference": {})"), HasSubstr("reference: expected 'launches'"));
  std::ofstream(folder_.path() / "j.cu")
      << "__global__ void j(const double* a, int n, unsigned long long* verdict) {}\n";
  EXPECT_THAT(refused(kernel, "", "k",
                      R"(, "verify": {"kernel": "j.cu", "launches":
                           {"entry": "j", "grid": 1, "block": 32, "arguments": ["a", "n", "verdict"]}})"),
              HasSubstr("argument 1 of kernel 'j' is 'const double* a', but 'a' has the type float"));
}

TEST_F(Declarations, ParametersInFormulasOfArraysAreListsOfTheirValues) {
  problem(kernel, "");
  const DescribedProblem made(parse_definition(folder_.path() / "d.json", R"json(
    {"problem": "t", "kernel": "k.cu", "sizes": {"n": 100}, "parameters": {"BLOCK": [8, 16]}, "reference": {"same": "BLOCK"},
     "arguments": {"a": {"type": "float", "size": "n // min(BLOCK)", "access": "write", "expect": "2 * i",
                         "compare": {"first": "n // BLOCK"}},
                   "n": {"type": "int", "value": "n"}},
     "launches": {"entry": "k", "grid": 1, "block": 64}})json"));
  const Instance plain = make_instance(made.info(), "", {});
  const Instance own = made.reference_instance(plain, {{"BLOCK", 16}});
  EXPECT_EQ(made.limits(own).at("a").counted(12), 6U);
  EXPECT_EQ(made.reference(plain, {}).at("a").as<double>()[3], 6);
  try {
    made.limits(plain);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the parameter 'BLOCK' is the list of its values here: write max(BLOCK)"));
  }
}

}  // namespace
}  // namespace tune::described
