# SPDX-License-Identifier: BSD-3-Clause

# Runs COMMAND, a list, and fails unless it ends with status 0 and says what matches EXPECTED (CTest's own property for
# that does not look at the status).
include(${CMAKE_CURRENT_LIST_DIR}/job.cmake)
run_job(${COMMAND})
message("${job_output}${job_errors}")
if(NOT job_status EQUAL 0)
  message(FATAL_ERROR "status ${job_status} of ${COMMAND}")
endif()
if(NOT "${job_output}${job_errors}" MATCHES "${EXPECTED}")
  message(FATAL_ERROR "nothing there matches '${EXPECTED}'")
endif()
