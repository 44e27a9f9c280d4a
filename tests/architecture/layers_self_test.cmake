# cmake -P layers_self_test.cmake: layers.cmake must find exactly the faults of violation/.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_CURRENT_LIST_DIR}/violation"
          -P "${CMAKE_CURRENT_LIST_DIR}/layers.cmake"
  RESULT_VARIABLE status ERROR_VARIABLE found)
file(READ "${CMAKE_CURRENT_LIST_DIR}/violation/expected.txt" expected)
string(FIND "${found}" "${expected}CMake Error" position)
if(status EQUAL 0 OR NOT position EQUAL 0)
  message(NOTICE "found:\n${found}\nexpected:\n${expected}")
  message(FATAL_ERROR "layers.cmake, with status ${status}, did not find just what was expected")
endif()
