/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core needs for bytes in memory, once for each; seconds. Short ones are taken several times. */
#ifndef THALWEG_MEMORY_PROBES_H
#define THALWEG_MEMORY_PROBES_H

#include <stddef.h>

double copy_seconds(void* to, const void* from, size_t bytes);
/* A double added to a double, by MPI. */
double combine_seconds(void* to, const void* from, size_t bytes);

#endif
