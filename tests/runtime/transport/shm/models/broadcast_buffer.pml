/* SPDX-License-Identifier: BSD-3-Clause */
/* A broadcast buffer (src/runtime/transport/shm/broadcast_buffer.hpp) as a model for Spin: does every reader find what
 * was announced to it, until it has left, and does no slot stay taken for ever?
 *
 * One owner publishes SLOTS slots of a line each in turn to some of two readers, to whom it announces them
 * through channels that hold as many messages as are sent. A slot's count stands in the code's first word: OPEN
 * while the owner still announces it. The owner waits for room, as it has nobody else to serve.
 *
 * -DNO_OPEN counts the readers only as it is announced to them, -DEARLY_LEAVE lets a reader leave before it has
 * read, -DNO_LEAVE lets one forget it: Spin must then find an error.
 */
#define LINES 2
#ifndef SLOTS
#define SLOTS 6
#endif
#define OPEN 8

byte readers[LINES], line[LINES];
chan announced[2] = [SLOTS] of { byte, byte }; /* what number stands where */
bool ended;

inline reclaim() {
  do
  :: oldest < next && readers[oldest % LINES] == 0 -> oldest++
  :: else -> break
  od
}

active proctype Owner() {
  byte next, oldest, mine, count, reader;
  do
  :: next < SLOTS ->
     do
     :: reclaim();
        if
        :: next - oldest < LINES -> break
        :: else -> readers[oldest % LINES] == 0
        fi
     od;
     mine = next;
#ifdef NO_OPEN
     readers[mine % LINES] = 0;
#else
     readers[mine % LINES] = OPEN;
#endif
     line[mine % LINES] = mine + 1;
     next++;
     count = 0;
     reader = 0;
     do
     :: reader < 2 ->
        if
        :: true ->
           reclaim(); /* for other messages, between those of this multicast */
           assert(oldest <= mine);
#ifdef NO_OPEN
           readers[mine % LINES]++;
#endif
           announced[reader] ! mine + 1, mine % LINES;
           count++
        :: true
        fi;
        reader++
     :: else -> break
     od;
#ifndef NO_OPEN
     atomic { readers[mine % LINES] = readers[mine % LINES] - (OPEN - count) }
#endif
  :: else -> break
  od;
  ended = true;
  /* All slots come free. */
  do
  :: reclaim();
     if
     :: oldest == next -> break
     :: else -> readers[oldest % LINES] == 0
     fi
  od
}

active [2] proctype Reader() {
  byte number, slot;
  do
  :: announced[_pid - 1] ? number, slot ->
#ifdef EARLY_LEAVE
     atomic { readers[slot]-- };
#endif
     assert(line[slot] == number);
#if !defined(EARLY_LEAVE) && !defined(NO_LEAVE)
     atomic { readers[slot]-- }
#endif
  :: ended && empty(announced[_pid - 1]) -> break
  od
}
