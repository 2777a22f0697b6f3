/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THALWEG_CORE_PROBES_H
#define THALWEG_CORE_PROBES_H

/* Runs the request if it is one about the cores of rank 0's host (probes.h); returns whether it is. Every
 * rank is given the same words. */
int probe_cores(char** words, int count);

#endif
