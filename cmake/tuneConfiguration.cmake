# SPDX-License-Identifier: Apache-2.0
# tune_configuration(TARGET PROBLEM problem [SIZE NXxNY...] [SET name=value...] [DEVICE auto|all|NAME] [DATABASE file]
#                    [OBJECTIVE objective] [LOSS share] [HEADER name])
# Writes a header with the best stored configuration of the problem, <problem>_configuration.hpp or HEADER, which the
# sources of TARGET include. Every build asks the database; the header changes only where the answer does.
#   SIZE      extents; the problem's own where left out
#   SET       settings of the problem
#   DEVICE    auto: the first GPU of this machine, or any device where there is none; a name as `tune list devices` shows
#             it; all: every recorded device and size, in one header with the function choose()
#   DATABASE  the file of results; where left out that of the user, and the recordings that are installed with tune
#   LOSS      with DEVICE all: the share of speed that may be lost, for fewer configurations; 5%
function(tune_configuration target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "PROBLEM;SIZE;DEVICE;DATABASE;OBJECTIVE;LOSS;HEADER" "SET")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "tune_configuration: there is no target '${target}'")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    list(JOIN ARG_UNPARSED_ARGUMENTS " " words)
    message(FATAL_ERROR "tune_configuration: what is '${words}'? Known are PROBLEM, SIZE, SET, DEVICE, DATABASE, OBJECTIVE, LOSS and HEADER")
  endif()
  if(NOT ARG_PROBLEM)
    message(FATAL_ERROR "tune_configuration: name the problem: tune_configuration(${target} PROBLEM gemm)")
  endif()
  if(NOT TARGET tune::program)
    message(FATAL_ERROR "tune_configuration: the program tune is not installed with this package: "
      "cmake --install BUILD --component tune --prefix ${tune_prefix}")
  endif()
  set(problem ${ARG_PROBLEM})
  if(ARG_PROBLEM MATCHES "\\.json$")  # a definition
    cmake_path(ABSOLUTE_PATH ARG_PROBLEM BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE problem)
  endif()
  set(options best --problem ${problem} --format header)
  if(ARG_SIZE)
    list(APPEND options --size ${ARG_SIZE})
  endif()
  if(ARG_SET)
    list(JOIN ARG_SET "," settings)
    list(APPEND options --set ${settings})
  endif()
  if(ARG_DEVICE STREQUAL all)
    list(APPEND options --portfolio)
    if(ARG_LOSS)
      list(APPEND options --loss ${ARG_LOSS})
    endif()
  elseif(ARG_LOSS)
    message(FATAL_ERROR "tune_configuration: LOSS needs DEVICE all")
  elseif(ARG_DEVICE AND NOT ARG_DEVICE STREQUAL auto)
    list(APPEND options --device ${ARG_DEVICE})
  endif()
  if(ARG_DATABASE)
    cmake_path(ABSOLUTE_PATH ARG_DATABASE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND options --db ${ARG_DATABASE})
  endif()
  if(ARG_OBJECTIVE)
    list(APPEND options --objective ${ARG_OBJECTIVE})
  endif()
  if(NOT ARG_HEADER)
    cmake_path(GET problem STEM ARG_HEADER)
    string(APPEND ARG_HEADER _configuration.hpp)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/tune/${target})
  string(MAKE_C_IDENTIFIER ${ARG_HEADER} name)
  # No file to depend on: a database may appear, and what is new in it may lie beside it.
  add_custom_target(${target}_${name}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:tune::program> "-DVERSION=${tune_VERSION}"
            -DHEADER=${folder}/${ARG_HEADER} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tuneWriteConfiguration.cmake -- ${options}
    BYPRODUCTS ${folder}/${ARG_HEADER} COMMENT "Asking for the best configuration of ${ARG_PROBLEM}" VERBATIM)
  add_dependencies(${target} ${target}_${name})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
