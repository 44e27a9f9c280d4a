# cmake -DPROGRAM=… -DROOT=… -DCASE=…/NAME.args -DWORK=… -P run_golden.cmake
#
# Runs the program in ROOT with the arguments in NAME.args (one a line) and compares standard output
# with NAME.expected, byte for byte, and the exit status with NAME.status (0 without that file).
# Paths under ROOT are compared as written from ROOT.
# FATHOM_UPDATE_GOLDEN=1 in the environment rewrites both files instead.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../support/compare_text.cmake")

cmake_path(GET CASE STEM LAST_ONLY name)
cmake_path(GET CASE PARENT_PATH folder)
set(expected_file "${folder}/${name}.expected")
set(status_file "${folder}/${name}.status")

run_program("${CASE}" "${ROOT}")

set(wanted_status 0)
if(EXISTS "${status_file}")
  file(READ "${status_file}" wanted_status)
  string(STRIP "${wanted_status}" wanted_status)
endif()
if("$ENV{FATHOM_UPDATE_GOLDEN}" STREQUAL "1")
  file(WRITE "${expected_file}" "${output}")
  file(REMOVE "${status_file}")
  if(NOT "${status}" STREQUAL "0")
    file(WRITE "${status_file}" "${status}\n")
  endif()
  return()
endif()
if(NOT "${status}" STREQUAL "${wanted_status}")
  message(NOTICE "${errors}")
  message(FATAL_ERROR "exit status ${status}, expected ${wanted_status}")
endif()
compare_text("${output}" "${expected_file}")
