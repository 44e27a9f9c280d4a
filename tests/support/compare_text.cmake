# What the golden and the bad-input tests share. Uses PROGRAM, ROOT and WORK of the caller.

# Runs PROGRAM with the arguments in args_file (one a line) in folder, with nothing on standard
# input. Sets output, errors and status in the caller; no path in them depends on the machine.
function(run_program args_file folder)
  file(STRINGS "${args_file}" arguments ENCODING UTF-8)
  file(MAKE_DIRECTORY "${WORK}")
  # An environment of its own: no colour, no search path of whoever runs the tests.
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=FATHOM_PATH --unset=COLUMNS NO_COLOR=1 LC_ALL=C
            "${PROGRAM}" ${arguments}
    WORKING_DIRECTORY "${folder}"
    INPUT_FILE /dev/null
    OUTPUT_FILE "${WORK}/stdout"
    ERROR_FILE "${WORK}/stderr"
    RESULT_VARIABLE status)
  foreach(stream IN ITEMS stdout stderr)
    file(READ "${WORK}/${stream}" ${stream})
    string(REPLACE "${ROOT}/" "" ${stream} "${${stream}}")
  endforeach()
  set(output "${stdout}" PARENT_SCOPE)
  set(errors "${stderr}" PARENT_SCOPE)
  set(status "${status}" PARENT_SCOPE)
endfunction()

# Fails, and shows the difference, unless actual is the content of expected_file.
function(compare_text actual expected_file)
  if(NOT EXISTS "${expected_file}")
    message(NOTICE "${actual}")
    message(FATAL_ERROR "no ${expected_file} to compare the above with; "
                        "`bash tests/run.sh --update-golden` writes it")
  endif()
  file(READ "${expected_file}" expected)
  if("${actual}" STREQUAL "${expected}")
    return()
  endif()
  file(WRITE "${WORK}/actual" "${actual}")
  execute_process(COMMAND diff -u "${expected_file}" "${WORK}/actual" OUTPUT_VARIABLE difference)
  message(NOTICE "${difference}")
  message(FATAL_ERROR "the text differs; if the change is meant, "
                      "`bash tests/run.sh --update-golden` takes it over")
endfunction()
