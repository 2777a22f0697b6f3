/* SPDX-License-Identifier: BSD-3-Clause */
/* Thalweg's library: strategies, their schedules and proofs, without MPI. C, so that every language can call
 * it.
 *
 * Selections are written as for `thalweg run --use`: "allreduce=ring", "alltoall=bruck:radix=4". Failures are
 * described in thalweg/status.h. All functions may be called from any thread. */
#ifndef THALWEG_THALWEG_H
#define THALWEG_THALWEG_H

#include "thalweg/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "1.2.3" */
THALWEG_API const char* thalweg_version(void);

/* Calls `visit` for every strategy of the index, until it returns non-zero. */
typedef int thalweg_visit(const char* operation, const char* name, const char* summary, void* context);
THALWEG_API thalweg_status thalweg_strategies(thalweg_visit* visit, void* context);

/* thalweg_schedule_format: from interfaces/thalweg.toml */
/* The form of a schedule as text. */
typedef enum thalweg_schedule_format {
  thalweg_schedule_format_text = 0, /* one rank's steps, for people */
  thalweg_schedule_format_dot = 1,  /* all ranks, for Graphviz */
  thalweg_schedule_format_goal = 2  /* all ranks, for LogGOPSim and its kin; units of 1,024 bytes */
} thalweg_schedule_format;
/* end of thalweg_schedule_format */

/* Gives the schedule that a selection means for `ranks` ranks and a root, as text that the caller frees with
 * thalweg_free(). `rank` counts for thalweg_schedule_format_text alone. On failure *text is NULL. */
THALWEG_API thalweg_status thalweg_schedule(const char* selection, int ranks, int root, int rank,
                                            thalweg_schedule_format format, char** text);

/* Executes a selection's schedules symbolically over all ranks. Succeeds if the proof shows that they
 * perform the operation; with thalweg_error_not_proven the message has the number of faults and the first
 * one. */
THALWEG_API thalweg_status thalweg_prove(const char* selection, int ranks, int root);

/* Frees a text that thalweg_schedule() gave. */
THALWEG_API void thalweg_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
