# SPDX-License-Identifier: Apache-2.0
# The kinds of target of this project: libraries and tests, with the language level and the warnings.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# A project that contains this one keeps its own kind of build.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()

# Where ccache is installed a build from nothing costs little the second time. It must be told that precompiled headers
# are safe.
find_program(TUNE_CCACHE ccache)
if(TUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TUNE_CCACHE})
endif()

option(TUNE_WERROR "Treat warnings in our own code as errors" OFF)

# Nearly all of the time of a build goes into headers and what their templates become: a unit takes 5 s, and 0.1 s more
# for each kB of its own. So sources are compiled together. A change of one source compiles its unit again, up to 20 s:
# who changes much sets a smaller number of bytes. OFF compiles every source alone, as editors do.
option(TUNE_UNITY "Compile several sources together" ON)
set(TUNE_UNIT_BYTES 160000 CACHE STRING "How many bytes of sources are compiled together")

# tune_compile_together(TARGET): after its last source is named. Neighbours are those of a folder, and all variants of a
# problem. Where -O3 makes units dear they have half as many bytes.
function(tune_compile_together target)
  if(NOT TUNE_UNITY)
    return()
  endif()
  set(unit_bytes ${TUNE_UNIT_BYTES})
  get_target_property(options ${target} COMPILE_OPTIONS)
  if(NOT options MATCHES "-O1")
    math(EXPR unit_bytes "${unit_bytes} / 2")
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  set(folders)
  set(total 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${directory} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(REGEX REPLACE "/variants/.*" "/variants" folder ${folder})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND folders ${folder})
    list(APPEND sources_of_${folder} ${source})
    set(bytes_of_${source} 0)
    if(EXISTS ${path})  # else it is generated
      file(SIZE ${path} bytes_of_${source})
    endif()
    math(EXPR total "${total} + ${bytes_of_${source}}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  math(EXPR units "(${total} - 1) / ${unit_bytes} + 1")
  set(bytes 0)
  foreach(folder IN LISTS folders)
    foreach(source IN LISTS sources_of_${folder})
      math(EXPR unit "${bytes} * ${units} / (${total} + 1)")
      math(EXPR bytes "${bytes} + ${bytes_of_${source}}")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${unit})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Not of another source's names; only GCC tells these from those of a function.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endfunction()

# tune_compile_settings(TARGET [STANDARD]): C++20 unless another is named.
function(tune_compile_settings target)
  set(standard 20)
  if(ARGC GREATER 1)
    set(standard ${ARGV1})
  endif()
  target_compile_features(${target} PUBLIC cxx_std_${standard})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(NOT TUNE_WERROR)  # whatever a project that contains this one asks of its own
    set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR OFF)
  endif()
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  if(PROJECT_IS_TOP_LEVEL OR TUNE_WERROR)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                           $<IF:$<BOOL:${TUNE_WERROR}>,-Werror,-Wno-error>)
  else()
    target_compile_options(${target} PRIVATE -w)  # it may ask for any warning
  endif()
  # False alarms of GCC: 12 sees an overlap in every `"text" + std::string` (bug 105651), 12 and 13 see copies beyond the
  # end of what std::vector, std::string and fmt allocate (bug 107852).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  # A unit takes about 1 GB: collecting garbage before that costs 7 % of compiling.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1500000)
  endif()
endfunction()

# Where hardly anything is computed inlining is all that pays: the other passes of -O1 take a sixth of the time of
# compiling, and -O0 takes longer, because it writes out every function of a template.
set(tune_little_effort $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  foreach(pass tree-pta tree-dominator-opts tree-fre tree-sink tree-ter tree-ch tree-ccp tree-bit-ccp tree-copy-prop
               tree-dse tree-sra tree-coalesce-vars tree-slsr ssa-phiopt ipa-pure-const ipa-reference ipa-modref
               split-wide-types shrink-wrap reorder-blocks move-loop-invariants)
    list(APPEND tune_little_effort $<$<CONFIG:Release>:-fno-${pass}>)
  endforeach()
  # False alarms where these passes would see what is set.
  list(APPEND tune_little_effort -Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-clobbered -Wno-nonnull
       -Wno-stringop-overread)
endif()

# What nearly every source of the standard library includes, read once for each level of optimisation.
function(tune_add_headers name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
  tune_compile_settings(${name})
  target_compile_options(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  endif()
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream>
    <functional> <iostream> <map> <memory> <numeric> <optional> <ranges> <regex> <set> <span> <sstream> <string>
    <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>)
endfunction()
if(TUNE_UNITY)
  tune_add_headers(tune_headers)
  tune_add_headers(tune_headers_little ${tune_little_effort})
endif()

# tune_library(NAME [LITTLE] [OBJECT] source...): a static library, or objects; paths count from the repository's root. Position-independent,
# because libtune.so is made of them too; without interposition, so that this costs no inlining. LITTLE: hardly anything
# is computed there, and little effort takes half of the time of -O3.
function(tune_library name)
  cmake_parse_arguments(ARG "LITTLE;OBJECT" "" "" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  if(ARG_OBJECT)
    add_library(${name} OBJECT ${sources})
  else()
    add_library(${name} STATIC ${sources})
  endif()
  tune_compile_settings(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  endif()
  set(headers tune_headers)
  if(ARG_LITTLE)
    target_compile_options(${name} PRIVATE ${tune_little_effort})
    set(headers tune_headers_little)
  endif()
  tune_compile_together(${name})
  if(TUNE_UNITY)
    target_precompile_headers(${name} REUSE_FROM ${headers})
  endif()
endfunction()

# tune_optimize_in_full(TARGET source...): adds sources that compute to a library that is LITTLE.
function(tune_optimize_in_full target)
  tune_library(${target}_in_full OBJECT ${ARGN})
  target_link_libraries(${target}_in_full PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_in_full>)
endfunction()

# tune_test_settings(TARGET): of a program or library that is there for tests alone. Optimising it takes longer than it
# runs.
function(tune_test_settings target)
  tune_compile_settings(${target})
  target_precompile_headers(${target} REUSE_FROM tune_test_headers)
  target_compile_options(${target} PRIVATE ${tune_little_effort})
  target_link_libraries(${target} PRIVATE GTest::gmock)
  tune_compile_together(${target})
endfunction()

# tune_test_library(NAME source...): a static library of what several test programs share.
function(tune_test_library name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  add_library(${name} STATIC ${sources})
  tune_test_settings(${name})
endfunction()

# tune_test(NAME library... SOURCES source...): a GoogleTest program whose tests ctest finds, as NAME.Suite: a part of
# NAME selects all of them (ctest -R reports). The tests of a suite run in one process, because starting a program takes
# longer than most tests, and those of a suite share what takes long to make. LABEL gpu: the tests need a GPU, and each is
# skipped visibly without one. LABEL slow: they take minutes. LABEL long: they run with ./run-tests --long only. LONG
# filter: with it these tests run once more, with all cases of which they take a sample by default. THREADS filter: these
# tests have threads, and run as NAME.threads.
function(tune_test name)
  cmake_parse_arguments(ARG "" "LABEL;LONG;THREADS" "SOURCES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  add_executable(${name} ${sources})
  tune_test_settings(${name})
  target_link_libraries(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS} GTest::gtest_main GTest::gmock)
  if(ARG_LONG)
    add_test(NAME ${name}_long COMMAND ${name} --gtest_filter=${ARG_LONG})
    set_tests_properties(${name}_long PROPERTIES LABELS long ENVIRONMENT TUNE_LONG_TESTS=1 TIMEOUT 7200)
  endif()
  if(ARG_LABEL STREQUAL gpu)
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS gpu)
    return()
  endif()
  set(suites)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} beginnings REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
    foreach(beginning IN LISTS beginnings)
      string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9]+).*" "\\1" suite "${beginning}")
      list(APPEND suites ${suite})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  set(named ${ARG_THREADS})
  foreach(suite IN LISTS suites)
    set(filter ${suite}.*:${suite}/*:*/${suite}.*)
    add_test(NAME ${name}.${suite} COMMAND ${name} --gtest_filter=${filter}-${ARG_THREADS})
    string(APPEND named :${filter})
  endforeach()
  add_test(NAME ${name}.others COMMAND ${name} --gtest_filter=-${named})  # suites that are new since the configuration
  list(APPEND suites others)
  list(TRANSFORM suites PREPEND ${name}. OUTPUT_VARIABLE tests)
  if(ARG_THREADS)
    add_test(NAME ${name}.threads COMMAND ${name} --gtest_filter=${ARG_THREADS})
    set_tests_properties(${name}.threads PROPERTIES LABELS threads)
  endif()
  if(ARG_LABEL)
    set_tests_properties(${tests} PROPERTIES LABELS ${ARG_LABEL})
  endif()
  if(ARG_LABEL STREQUAL slow)  # what takes long begins first, so that no core is idle at the end
    set_tests_properties(${tests} PROPERTIES COST 10)
  endif()
endfunction()
