/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the functions of Thalweg's C interfaces, and the details of the last failure.
 *
 * libthalweg and libthalweg-team-* both define these functions. In a program that has several of these
 * libraries the dynamic linker takes the first definition for all of them, so a thread has one last error. */
#ifndef THALWEG_STATUS_H
#define THALWEG_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define THALWEG_API __attribute__((visibility("default")))

/* Structures that programs allocate begin with their size, which tells the library how much of them a program
 * knows. In C they begin as THALWEG_..._INIT; in C++ they are so from the beginning. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define THALWEG_DEFAULT(value) = value
#else
#define THALWEG_DEFAULT(value)
#endif

/* thalweg_status: from interfaces/status.toml */
/* A function that does not return thalweg_success has changed nothing, unless its comment says
 * otherwise. */
typedef enum thalweg_status {
  thalweg_success = 0,
  /* a value that the call cannot have, or a call that cannot be made now */
  thalweg_error_invalid_argument = 1,
  thalweg_error_out_of_memory = 2,
  thalweg_error_mpi = 3,         /* a function of the MPI library failed */
  thalweg_error_mismatch = 4,    /* ranks made different calls */
  thalweg_error_unsupported = 5, /* a sensible call that this version cannot do */
  thalweg_error_system = 6,      /* a file, shared memory or another service of the operating system */
  thalweg_error_not_proven = 7,  /* a schedule does not perform its operation */
  thalweg_error_internal = 8,    /* a defect of Thalweg: please report it */
  thalweg_error_handler = 9      /* a function of the program that Thalweg calls has failed, on some rank */
} thalweg_status;
/* end of thalweg_status */

/* "invalid argument"; "unknown status" for a number that is none. Static text. */
THALWEG_API const char* thalweg_status_name(thalweg_status status);

/* thalweg_error: from interfaces/status.toml */
/* The last failure of a call of this thread. Later versions may add fields at the end. */
typedef struct thalweg_error {
  thalweg_status status; /* thalweg_success if no call has failed yet: then the texts are empty */
  int rank;              /* this process's rank in the team of the call; -1 if no ranks are concerned */
  const char* call;      /* "allreduce", "split"; "" if the failing call has no name */
  const char* remedy;    /* "allocate more, or move less"; "" if none is known */
  const char* message;   /* a whole line for people: call, rank, value and remedy */
} thalweg_error;
/* end of thalweg_error */

/* Never NULL. The texts are valid until the next failure of a call of this thread. */
THALWEG_API const thalweg_error* thalweg_last_error(void);
/* The message of thalweg_last_error(). */
THALWEG_API const char* thalweg_error_message(void);

#ifdef __cplusplus
}
#endif

#endif
