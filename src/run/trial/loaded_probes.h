/* SPDX-License-Identifier: BSD-3-Clause */
/* Trips between two ranks that have more to do (Kumar 2005, sections 2.1 to 2.3); seconds. */
#ifndef THALWEG_LOADED_PROBES_H
#define THALWEG_LOADED_PROBES_H

/* This rank's part of a pair. */
struct Ends {
  int peer;
  int is_first;
  char* from;
  char* to;
};

/* Half a round trip while either end has that many receives posted, the message's in the middle of them. The
 * others are for messages of other ranks, in turn, which never come; in a job of two ranks the peer's. */
double trip_among_receives(const struct Ends* ends, int bytes, int receives);

/* An exchange in which both send at once, of `count` one after the other. */
double crossing_trip(const struct Ends* ends, int bytes, int count);

#endif
