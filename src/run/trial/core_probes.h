/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THALWEG_CORE_PROBES_H
#define THALWEG_CORE_PROBES_H

/* Is the request of that name one about the cores of a host (probes.h)? */
int is_about_cores(const char* name);

/* Runs it on this host, and prints the answer. */
void answer_about_cores(char** words, int count);

#endif
