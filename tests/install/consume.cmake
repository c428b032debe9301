# SPDX-License-Identifier: Apache-2.0
# Installs into a new prefix, builds the project SOURCE against it, and runs PROGRAM, which finds the recordings of the
# prefix by itself. Its output has to match each of EXPECT, a list of regular expressions.
file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
set(build ${WORK}/build)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${status}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --component ${COMPONENT} --prefix ${prefix})
set(compilers)
if(C_COMPILER)
  list(APPEND compilers -DCMAKE_C_COMPILER=${C_COMPILER})
endif()
if(CXX_COMPILER)
  list(APPEND compilers -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} ${compilers} ${OPTIONS}
    "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    --no-warn-unused-cli)
run(${CMAKE_COMMAND} --build ${build})
set(ENV{TUNE_RECORDINGS})
set(ENV{TUNE_DB} ${WORK}/no.db)
run(${build}/${PROGRAM} ${ARGUMENTS})
message("${out}")
foreach(expected IN LISTS EXPECT)
  if(NOT out MATCHES "${expected}")
    message(FATAL_ERROR "the program did not say '${expected}':\n${out}")
  endif()
endforeach()
