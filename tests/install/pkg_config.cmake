# SPDX-License-Identifier: Apache-2.0
# Installs into a new prefix, and compiles the program in C as a Makefile would: with pkg-config.
file(REMOVE_RECURSE ${WORK})
find_program(PKG_CONFIG pkg-config)
if(NOT PKG_CONFIG)
  message("SKIPPED: there is no pkg-config")
  return()
endif()
set(script "set -e
'${CMAKE_COMMAND}' --install '${BUILD}' --component lookup --prefix '${WORK}/prefix' >&2
pc=$(dirname $(find '${WORK}/prefix' -name tune-lookup.pc))
'${C_COMPILER}' ${FLAGS} '${SOURCE}' $(PKG_CONFIG_PATH=$pc '${PKG_CONFIG}' --cflags --libs tune-lookup) -Wl,-rpath,$(dirname $pc) -o '${WORK}/consumer'
TUNE_RECORDINGS= TUNE_DB='${WORK}/no.db' '${WORK}/consumer'")
execute_process(COMMAND sh -c "${script}" RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE error)
if(NOT status EQUAL 0 OR NOT out MATCHES "${EXPECT}")
  message(FATAL_ERROR "${status}: ${out}\n${error}")
endif()
