/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THALWEG_PLACES_H
#define THALWEG_PLACES_H

#include <stddef.h>

/* The text of a file of the system, without its end of line; empty if there is none. */
void read_line(const char* path, char* text, int capacity);

/* Where in its node this rank runs: "now;may;share;socket", the processor that it is on, and lists of those
 * that it may run on, that share the last cache with it and that are of its socket. What the system does not
 * tell is empty. */
void describe_place(char* text, size_t capacity);

/* Do ranks share cores on any node? Where they need not, each gets one of its own, unless the launcher has
 * seen to that: after each pause between requests the kernel may put two on one core, for longer than a batch
 * takes. */
int settle_on_cores(void);

/* Do ranks share cores with those of other hosts, which are on the same machine? */
int do_hosts_share_cores(void);

#endif
