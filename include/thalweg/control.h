/* SPDX-License-Identifier: BSD-3-Clause */
/* Control of a running Thalweg, for programs that measure strategies (thalweg bench).
 *
 * The functions live in the preloaded interposer: look them up with dlsym(RTLD_DEFAULT, name), and take
 * their absence for "Thalweg is not there". The first two are collective over MPI_COMM_WORLD in that all
 * its ranks must call them alike, with no collective under way; neither communicates. The program must
 * have been started with a strategy chosen (THALWEG_USE), since communicators get the engine's resources
 * when they are made. */
#ifndef THALWEG_CONTROL_H
#define THALWEG_CONTROL_H

#include "thalweg/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces the chosen strategies by those of `selections`, in the grammar of THALWEG_USE
 * ("alltoall=mesh2d;allreduce=ring"; "" chooses native everywhere). A text that does not read changes
 * nothing: it is thalweg_error_invalid_argument, with one line on stderr, as the interposer has no
 * thalweg_last_error(). */
thalweg_status thalweg_set_selection(const char* selections);

/* 1: every MPI call goes straight to the library, as if Thalweg was not there; 0: as before that. Returns
 * the state from now on: 1 also if Thalweg is disabled, does not fit the library, or MPI was finalized. */
int thalweg_bypass(int on);

/* The properties by which tuning files identify this job, a line each: processor, cores, control group's
 * limit, kernel, MPI, transport, nodes, ranks per node. Lives as long as the process. Not collective. */
const char* thalweg_fingerprint(void);

/* The switch of the host of a rank of MPI_COMM_WORLD, by the hosts' agents (thalweg nic serve): numbered
 * from 0 in order of first appearance. -1 if some agent names none, if all name the same, or if there is
 * no such rank. Not collective. */
int thalweg_leaf_of(int rank);

/* 1 once some communicator's collectives run on the hosts' network cards, by calls so far; else 0. */
int thalweg_has_nic_groups(void);

#ifdef __cplusplus
}
#endif

#endif
