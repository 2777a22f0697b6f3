/* A board (src/transport/shm/board.hpp) as a model for Spin: does every reader find what it was told of, until it
 * has left, and does no place stay taken for ever?
 *
 * One owner shows PLACES places of a line each in turn to some of two readers, whom it tells through channels that
 * hold as many messages as are sent. A place's count stands in the code's first word: OPEN while the owner still
 * tells readers of it. The owner waits for room, as it has nobody else to serve.
 *
 * -DNO_OPEN counts the readers only as they are told, -DEARLY_LEAVE lets a reader leave before it has read, -DNO_LEAVE
 * lets one forget it: Spin must then find an error.
 */
#define LINES 2
#ifndef PLACES
#define PLACES 6
#endif
#define OPEN 8

byte readers[LINES], line[LINES];
chan told[2] = [PLACES] of { byte, byte }; /* what number stands where */
bool ended;

inline take_back() {
  do
  :: oldest < next && readers[oldest % LINES] == 0 -> oldest++
  :: else -> break
  od
}

active proctype Owner() {
  byte next, oldest, mine, count, reader;
  do
  :: next < PLACES ->
     do
     :: take_back();
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
           take_back(); /* for other messages, between those of this multicast */
           assert(oldest <= mine);
#ifdef NO_OPEN
           readers[mine % LINES]++;
#endif
           told[reader] ! mine + 1, mine % LINES;
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
  /* All places come free. */
  do
  :: take_back();
     if
     :: oldest == next -> break
     :: else -> readers[oldest % LINES] == 0
     fi
  od
}

active [2] proctype Reader() {
  byte number, place;
  do
  :: told[_pid - 1] ? number, place ->
#ifdef EARLY_LEAVE
     atomic { readers[place]-- };
#endif
     assert(line[place] == number);
#if !defined(EARLY_LEAVE) && !defined(NO_LEAVE)
     atomic { readers[place]-- }
#endif
  :: ended && empty(told[_pid - 1]) -> break
  od
}
