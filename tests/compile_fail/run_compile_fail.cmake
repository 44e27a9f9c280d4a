# cmake -DCOMPILER=… -DFLAGS=… -DROOT=… -DSOURCE=… -P run_compile_fail.cmake
#
# SOURCE must not compile, and the compiler's message must match the regular expression in its line
# `// must not compile: REGEX` within one line. A source with `// must compile` is the control: it must.
cmake_minimum_required(VERSION 3.25)

set(ENV{LC_ALL} C)
execute_process(
  COMMAND "${COMPILER}" ${FLAGS} -fsyntax-only -fdiagnostics-color=never "-I${ROOT}" "${SOURCE}"
  RESULT_VARIABLE status ERROR_VARIABLE message_text)

file(STRINGS "${SOURCE}" control REGEX "^// must compile$")
if(control)
  if(NOT status EQUAL 0)
    message(NOTICE "${message_text}")
    message(FATAL_ERROR "the control does not compile")
  endif()
  return()
endif()

file(STRINGS "${SOURCE}" wanted REGEX "^// must not compile: ")
string(REGEX REPLACE "^// must not compile: " "" wanted "${wanted}")
if(wanted STREQUAL "")
  message(FATAL_ERROR "${SOURCE} does not say what it expects")
elseif(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()

string(REPLACE ";" "," lines "${message_text}")
string(REGEX REPLACE "[][]" "|" lines "${lines}")
string(REPLACE "\n" ";" lines "${lines}")
list(FILTER lines INCLUDE REGEX "(error|note): .*${wanted}")
if(lines STREQUAL "")
  message(NOTICE "${message_text}")
  message(FATAL_ERROR "no error that matches '${wanted}'")
endif()
