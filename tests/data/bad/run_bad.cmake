# cmake -DPROGRAM=… -DROOT=… -DCASE=…/NAME.args -DWORK=… -P run_bad.cmake
#
# Runs the program in this folder with the arguments in NAME.args (one a line) and compares with
# NAME.expected, byte for byte: its first line is `exit: N`, the rest the whole standard error.
# Paths under ROOT are compared as written from ROOT.
# FATHOM_UPDATE_GOLDEN=1 in the environment rewrites NAME.expected instead.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../support/compare_text.cmake")

cmake_path(GET CASE STEM LAST_ONLY name)
cmake_path(GET CASE PARENT_PATH folder)
set(expected_file "${folder}/${name}.expected")

run_program("${CASE}" "${folder}")

set(actual "exit: ${status}\n${errors}")
if("$ENV{FATHOM_UPDATE_GOLDEN}" STREQUAL "1")
  file(WRITE "${expected_file}" "${actual}")
  return()
endif()
compare_text("${actual}" "${expected_file}")
