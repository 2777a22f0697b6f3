# Runs COMMAND, a list, and fails unless it ends with status 0 and says what matches EXPECTED (CTest's own property for
# that does not look at the status).
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status} of ${COMMAND}")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "nothing there matches '${EXPECTED}'")
endif()
