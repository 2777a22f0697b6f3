/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurements that `thalweg machine probe` makes, as requests of the trial program. Of pairs of ranks,
 * all at once; of several pairs the slowest is told:
 *
 *   @pingpong BYTES COUNT SAMPLES A B...        half a round trip
 *   @posted BYTES RECEIVES SAMPLES A B...       likewise, while either end has so many receives posted
 *   @crossing BYTES COUNT SAMPLES A B...        an exchange in which both send at once
 *   @burst BYTES COUNT SAMPLES A B...           a message of COUNT sent in a row (multi-ping)
 *   @exchange BYTES COUNT SAMPLES A B...        likewise, as many coming the other way
 *   @unexpected BYTES COUNT SAMPLES A B...      what a message costs more that comes before it is asked for
 *   @send BYTES MICROSECONDS SAMPLES A B...     the sender's processor time in calls, around a computation
 *   @receive BYTES MICROSECONDS SAMPLES A B...  the receiver's, likewise
 *   @overlap BYTES MICROSECONDS SAMPLES A B...  what a computation loses to a message sent and one received
 *
 * Of two pairs at a time, group after group, the fastest of the samples of each, -1 -1 being no pair:
 *
 *   @meetings BYTES COUNT SAMPLES A B C D...    as @burst
 *
 * Of rank 0, or of all ranks:
 *
 *   @copy BYTES SAMPLES, @combine BYTES SAMPLES   memory to memory; doubles added to doubles
 *   @ring COUNT SAMPLES                           a hop of a token that goes round all ranks
 *
 * Of cores of rank 0's host, while all ranks sleep: for each pair of them what a line takes there and back,
 * and a block of distance_block bytes to be written and to be read (distance.h); and the numbers of those
 * from FIRST to LAST that a job may use:
 *
 *   @distances A B...
 *   @processors FIRST LAST
 *
 * Of one rank, while all look at their cores: how long it looked, then when each detour began and how long it
 * took:
 *
 *   @noise MILLISECONDS RANK
 *
 * Rank 0 answers with one line of JSON, microseconds in "us", then "done". Ranks without a part in it sleep.
 */
#ifndef THALWEG_PROBES_H
#define THALWEG_PROBES_H

enum { max_words = 260 };

/* Runs the request; every rank is given the same words. */
void probe(char** words, int count);

/* Waits for all ranks, mostly asleep. */
void meet(void);

#endif
