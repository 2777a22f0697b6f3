# SPDX-License-Identifier: BSD-3-Clause

# Runs a job, and sets job_status, job_output and job_errors. At its end a rank waits two seconds for the word of
# Open MPI's launcher, and then goes without. So on a machine that is starved mpirun takes a right end for one without
# MPI_Finalize; such a job is run once more. One that really ends so does it again. So is one that mpirun did not start,
# as another that started at the same time made the user's folder of sessions. Tests in Python have attempts.py.
# scripts/retries counts both lines that are printed here.
function(run_job)
  message(STATUS "job: started")
  foreach(attempt RANGE 1 2)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
    if(NOT errors MATCHES "exiting improperly|orte_session_dir failed")
      break()
    endif()
    if(attempt EQUAL 1)
      message(STATUS "job: started once more")
    endif()
  endforeach()
  set(job_status "${status}" PARENT_SCOPE)
  set(job_output "${output}" PARENT_SCOPE)
  set(job_errors "${errors}" PARENT_SCOPE)
endfunction()
