/* SPDX-License-Identifier: BSD-3-Clause */
/* A channel (src/runtime/transport/shm/channel.hpp) as a model for Spin: does every message come out once, whole and in
 * order, and does nobody wait for ever?
 *
 * Slots and ring are the code's with smaller numbers: a message is of no lines of the ring (it is in its slot) or
 * of up to a chunk's, in one chunk, whose place the slot tells. What a message holds is its number, in the slot and
 * in each of its lines. Chunks of one line stay in the beginning of the ring while little is under way. The
 * receiver gives credit for what it has taken when a quarter of the slots or an eighth of the ring has come
 * together, and when the sender began anew.
 *
 * -DNO_RELEASE writes a slot's sequence number before what it announces, -DNO_CREDIT lets the sender write
 * without looking whether there is room, -DLAZY lets the receiver keep back more than it may, -DSILENT keeps back
 * what it took when the sender began anew: Spin must then find an error.
 */
#define SLOTS 8
#define RING 16
#define CHUNK 6 /* the code's are an eighth of the ring at most: these wrap round sooner */
#define WARM 4
#ifndef MESSAGES
#define MESSAGES 6
#endif
#ifdef LAZY
#define KEPT_SLOTS (SLOTS + 1)
#define KEPT_LINES (RING + 1)
#else
#define KEPT_SLOTS (SLOTS / 4)
#define KEPT_LINES (RING / 8)
#endif

byte sequence[SLOTS], number[SLOTS], lines[SLOTS], offset[SLOTS];
byte ring[RING];
byte credit;

/* Little is under way where that is at most half of what is kept warm, and nothing where ranks share cores. */
#ifdef SHARES_CORES
#define LITTLE 0
#else
#define LITTLE (WARM / 2)
#endif
inline place(next, freed, chunk, begin) {
  begin = (RING - next % RING < chunk ||
           (chunk == 1 && next % RING + chunk > WARM && next - freed <= LITTLE)
           -> next + RING - next % RING : next)
}

active proctype Sender() {
  byte ends[SLOTS];
  byte next, taken, freed, next_place;
  byte chunk, begin, line;
  do
  :: next < MESSAGES ->
     if
     :: chunk = 0
     :: chunk = 1
     :: chunk = CHUNK
     fi;
     atomic { place(next_place, freed, chunk, begin) }
#ifndef NO_CREDIT
     do
     :: next - taken < SLOTS && (chunk == 0 || begin + chunk - freed <= RING) -> break
     :: else ->
        credit != taken; /* looks until it has changed */
        atomic {
          taken = credit;
          freed = ends[(taken - 1) % SLOTS];
          place(next_place, freed, chunk, begin)
        }
     od;
#endif
#ifdef NO_RELEASE
     sequence[next % SLOTS] = next / SLOTS + 1;
#endif
     line = 0;
     do
     :: line < chunk -> ring[(begin + line) % RING] = next + 1; line++
     :: else -> break
     od;
     atomic {
       if
       :: chunk > 0 ->
          if
          :: next_place == freed -> freed = begin
          :: else
          fi;
          next_place = begin + chunk
       :: else
       fi;
       ends[next % SLOTS] = next_place
     }
     number[next % SLOTS] = next + 1;
     lines[next % SLOTS] = chunk;
     offset[next % SLOTS] = begin % RING;
#ifndef NO_RELEASE
     sequence[next % SLOTS] = next / SLOTS + 1;
#endif
     next++
  :: else -> break
  od
}

active proctype Receiver() {
  byte next, credited, kept, after_last;
  byte line;
  bool began_anew;
  do
  :: next < MESSAGES ->
     sequence[next % SLOTS] == next / SLOTS + 1;
     assert(number[next % SLOTS] == next + 1);
     line = 0;
     do
     :: line < lines[next % SLOTS] ->
        assert(ring[(offset[next % SLOTS] + line) % RING] == next + 1);
        line++
     :: else -> break
     od;
     atomic {
       began_anew = false;
       if
       :: line > 0 ->
          began_anew = offset[next % SLOTS] < after_last;
          after_last = offset[next % SLOTS] + line;
          kept = kept + line
       :: else
       fi;
#ifdef SILENT
       began_anew = false;
#endif
       next++
     }
     if
     :: next - credited < KEPT_SLOTS && kept < KEPT_LINES && !began_anew
     :: else ->
        atomic { credited = next; kept = 0 }
        credit = next
     fi
  :: else -> break
  od
}
