# SPDX-License-Identifier: Apache-2.0
# Third-party libraries: the system's packages where they are there, else fetched at pinned versions.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)
find_package(Threads REQUIRED)

# tune_fetch(name repository tag [SOURCE_SUBDIR dir]): adds a pinned CMake project to the build.
macro(tune_fetch name repository tag)
  message(STATUS "${name} is not installed: fetching ${repository} ${tag}")
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON ${ARGN})
  FetchContent_MakeAvailable(${name})
endmacro()

set(Boost_USE_STATIC_LIBS ${TUNE_STATIC})
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 OLD)
endif()
find_package(Boost 1.70 QUIET COMPONENTS program_options)
if(NOT TARGET Boost::program_options)
  set(BOOST_INCLUDE_LIBRARIES program_options)
  tune_fetch(Boost https://github.com/boostorg/boost.git boost-1.84.0)
endif()

if(TUNE_STATIC)
  find_library(SQLite3_LIBRARY NAMES libsqlite3.a)
endif()
find_package(SQLite3 QUIET)
find_package(SQLiteCpp QUIET)
if(NOT TARGET SQLiteCpp)
  set(SQLITECPP_RUN_CPPLINT OFF)
  set(SQLITECPP_RUN_CPPCHECK OFF)
  set(SQLITECPP_INSTALL OFF)
  tune_fetch(SQLiteCpp https://github.com/SRombauts/SQLiteCpp.git 3.3.2)
endif()

find_package(fmt QUIET)
if(NOT TARGET fmt::fmt-header-only)
  tune_fetch(fmt https://github.com/fmtlib/fmt.git 10.2.1)
endif()

find_package(tl-expected QUIET)
if(NOT TARGET tl::expected)
  set(EXPECTED_BUILD_TESTS OFF)
  tune_fetch(tl-expected https://github.com/TartanLlama/expected.git v1.1.0)
endif()

find_package(nlohmann_json QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  tune_fetch(nlohmann_json https://github.com/nlohmann/json.git v3.11.3)
endif()

set(ZLIB_USE_STATIC_LIBS ${TUNE_STATIC})  # from CMake 3.24 on
find_package(ZLIB QUIET)
if(NOT TARGET ZLIB::ZLIB)
  set(ZLIB_BUILD_EXAMPLES OFF)
  tune_fetch(zlib https://github.com/madler/zlib.git v1.3.1)
  target_include_directories(zlibstatic INTERFACE ${zlib_SOURCE_DIR} ${zlib_BINARY_DIR})
  add_library(ZLIB::ZLIB ALIAS zlibstatic)
endif()

find_path(TUNE_XXHASH_INCLUDE xxhash.h)
if(NOT TUNE_XXHASH_INCLUDE)
  set(XXHASH_BUILD_XXHSUM OFF)
  tune_fetch(xxHash https://github.com/Cyan4973/xxHash.git v0.8.2 SOURCE_SUBDIR cmake_unofficial)
  set(TUNE_XXHASH_INCLUDE ${xxhash_SOURCE_DIR})
endif()

# The headers alone: cli/input/project_file.cpp compiles what it needs of them.
find_path(TUNE_TOMLPLUSPLUS_INCLUDE toml++/toml.h)
if(NOT TUNE_TOMLPLUSPLUS_INCLUDE)
  tune_fetch(tomlplusplus https://github.com/marzer/tomlplusplus.git v3.4.0)
  set(TUNE_TOMLPLUSPLUS_INCLUDE ${tomlplusplus_SOURCE_DIR}/include)
endif()

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  set(EIGEN_BUILD_DOC OFF)
  set(EIGEN_BUILD_TESTING OFF)
  tune_fetch(Eigen3 https://gitlab.com/libeigen/eigen.git 3.4.0)
endif()

if(TUNE_TESTS)
  find_package(GTest QUIET)
  if(NOT TARGET GTest::gmock)
    set(INSTALL_GTEST OFF)
    tune_fetch(googletest https://github.com/google/googletest.git v1.14.0)
    if(NOT TARGET GTest::gmock)
      add_library(GTest::gmock ALIAS gmock)
    endif()
  endif()
endif()

# Libraries that only our own header-only use of them needs.
add_library(tune_third_party INTERFACE)
target_compile_definitions(tune_third_party INTERFACE XXH_INLINE_ALL)
# Of fmt the headers alone: tuner/base/format.cpp compiles what they declare.
target_include_directories(tune_third_party SYSTEM INTERFACE ${TUNE_XXHASH_INCLUDE}
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(tune_third_party INTERFACE tl::expected)

# The CUDA toolkit is found by hand: only headers, the static runtime library and (at run time) NVRTC are needed,
# and enabling the CUDA language would ask for a compiler that nothing here calls.
if(NOT TUNE_CUDA STREQUAL OFF)
  find_package(CUDAToolkit 12.4 QUIET)
  if(TARGET CUDA::cudart_static)
    set(TUNE_HAVE_CUDA ON)
    message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: building the CUDA backend")
  elseif(TUNE_CUDA STREQUAL ON)
    message(FATAL_ERROR "No CUDA toolkit 12.4 or newer found: set CUDAToolkit_ROOT, or configure with -DTUNE_CUDA=AUTO")
  else()
    set(TUNE_HAVE_CUDA OFF)
    message(STATUS "No CUDA toolkit 12.4 or newer found: building without the CUDA backend")
  endif()
endif()

if(TUNE_STATIC)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
