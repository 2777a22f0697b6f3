/* SPDX-License-Identifier: BSD-3-Clause */
/* What takes a processor away from a rank that has work (Hoefler, Schneider, Lumsdaine 2010, section III:
 * "selfish detour").
 */
#ifndef THALWEG_NOISE_H
#define THALWEG_NOISE_H

/* Reads the clock again and again for so many seconds, and takes each jump of it for a detour: one over a
 * microsecond that is nine times as long as a look at the clock. Writes how long it looked, and then pairs of
 * when a detour began and how long it took; all in seconds, `room` numbers at most. When there is no room for
 * more, it has looked long enough. Gives how many numbers there are. */
int watch_core(double seconds, double* numbers, int room);

#endif
