// SPDX-License-Identifier: Apache-2.0
#include "compile.hpp"

#include <nvrtc.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heat3d {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return text.str();
}

void check(nvrtcResult status, const char* what) {
  if (status != NVRTC_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + nvrtcGetErrorString(status));
}

/// Frees a program at the end.
struct Program {
  nvrtcProgram handle = nullptr;
  ~Program() { nvrtcDestroyProgram(&handle); }
};

}  // namespace

std::vector<char> compile(const Kernel& kernel, const std::string& architecture) {
  const std::string kernels = TUNE_KERNELS, folder = kernels + "/stencil";
  const std::string source = text_of(folder + "/" + kernel.file), points = points_header();
  const char* headers[] = {points.c_str()};
  const char* names[] = {"stencil_points.cuh"};
  Program program;
  check(nvrtcCreateProgram(&program.handle, source.c_str(), kernel.file.c_str(), 1, headers, names),
        "nvrtcCreateProgram");
  std::vector<std::string> options = {"--std=c++20", "--gpu-architecture=" + architecture, "-I" + folder,
                                      "-I" + kernels + "/common"};
  for (const std::string& one : kernel.defines) options.push_back("-D" + one);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult status =
      nvrtcCompileProgram(program.handle, static_cast<int>(pointers.size()), pointers.data());
  if (status != NVRTC_SUCCESS) {
    std::size_t size = 0;
    nvrtcGetProgramLogSize(program.handle, &size);
    std::string log(size, '\0');
    nvrtcGetProgramLog(program.handle, log.data());
    throw std::runtime_error("cannot compile " + kernel.file + ":\n" + log);
  }
  std::size_t size = 0;
  check(nvrtcGetCUBINSize(program.handle, &size), "nvrtcGetCUBINSize");
  std::vector<char> cubin(size);
  check(nvrtcGetCUBIN(program.handle, cubin.data()), "nvrtcGetCUBIN");
  return cubin;
}

std::string compiler_name(const std::string& architecture) {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " " + architecture;
}

}  // namespace heat3d
