/* The measurements that `thalweg probe` makes, as requests of the trial program:
 *
 *   @pingpong A B BYTES COUNT SAMPLES     half a round trip between ranks A and B
 *   @burst A B BYTES COUNT SAMPLES        a message of COUNT sent in a row
 *   @unexpected A B BYTES COUNT SAMPLES   half a round trip, messages coming before they are asked for
 *   @send A B BYTES MICROSECONDS SAMPLES      the sender's processor time, the transfer overlapped by
 * computation
 *   @receive A B BYTES MICROSECONDS SAMPLES   the receiver's, likewise
 *   @copy BYTES SAMPLES, @combine BYTES SAMPLES   memory to memory; doubles added to doubles
 *   @ring COUNT SAMPLES                   a hop of a token that goes round all ranks
 *
 * Rank 0 answers with one line of JSON, microseconds in "us", then "done". Ranks without a part in it sleep.
 */
#ifndef THALWEG_PROBES_H
#define THALWEG_PROBES_H

/* Runs the request; every rank is given the same words. */
void probe(char** words, int count);

/* Waits for all ranks, mostly asleep. */
void meet(void);

#endif
