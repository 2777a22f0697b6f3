// SPDX-License-Identifier: BSD-3-Clause

// thalweg/status.h

#include "boundary/last_error.hpp"

extern "C" {

const char* thalweg_status_name(thalweg_status status) {
  switch (status) {
  case thalweg_success:
    return "success";
  case thalweg_error_invalid_argument:
    return "invalid argument";
  case thalweg_error_out_of_memory:
    return "out of memory";
  case thalweg_error_mpi:
    return "MPI error";
  case thalweg_error_mismatch:
    return "ranks made different calls";
  case thalweg_error_unsupported:
    return "unsupported";
  case thalweg_error_system:
    return "system error";
  case thalweg_error_not_proven:
    return "not proven";
  case thalweg_error_internal:
    return "internal error";
  case thalweg_error_handler:
    return "a handler failed";
  }
  return "unknown status";
}

const thalweg_error* thalweg_last_error(void) {
  return thalweg_keep_error(nullptr);
}

const char* thalweg_error_message(void) {
  return thalweg_last_error()->message;
}

} // extern "C"
