# SPDX-License-Identifier: Apache-2.0
# Installs COMPONENT into a new prefix, and compiles the program as a Makefile would: with pkg-config and PACKAGE.
file(REMOVE_RECURSE ${WORK})
find_program(PKG_CONFIG pkg-config)
if(NOT PKG_CONFIG)
  message("SKIPPED: there is no pkg-config")
  return()
endif()
# STATIC_OF: a package whose archive a program may be linked with by `pkg-config --static`, too.
if(STATIC_OF)
  set(also "'${C_COMPILER}' ${FLAGS} '${SOURCE}' $('${PKG_CONFIG}' --static --cflags --libs ${STATIC_OF} | sed 's/-l${STATIC_OF}/-l:lib${STATIC_OF}.a/') -o '${WORK}/other'")
endif()
# The shared library finds what is installed with it; the archive is told.
set(told)
if(PACKAGE MATCHES "-static$")
  set(told "\"-DTUNE_INSTALLED_IN=\\\"$('${PKG_CONFIG}' --variable=prefix ${PACKAGE})\\\"\"")
endif()
set(script "set -e
'${CMAKE_COMMAND}' --install '${BUILD}' --component ${COMPONENT} --prefix '${WORK}/prefix' >&2
export PKG_CONFIG_PATH=$(dirname $(find '${WORK}/prefix' -name ${PACKAGE}.pc))
'${C_COMPILER}' ${FLAGS} '${SOURCE}' ${told} $('${PKG_CONFIG}' --cflags --libs ${PACKAGE}) -Wl,-rpath,$('${PKG_CONFIG}' --variable=libdir ${PACKAGE}) -o '${WORK}/consumer'
${also}
TUNE_RECORDINGS= TUNE_DB='${WORK}/no.db' '${WORK}/consumer'")
execute_process(COMMAND sh -c "${script}" RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE error)
if(NOT status EQUAL 0 OR NOT out MATCHES "${EXPECT}")
  message(FATAL_ERROR "${status}: ${out}\n${error}")
endif()
