/* A channel (src/transport/shm/channel.hpp) as a model for Spin: does every message come out once, whole and in
 * order, and does nobody wait for ever?
 *
 * Cells and ring are the code's with smaller numbers: a message is of no lines of the ring (it is in its cell)
 * or of up to a chunk's, in one chunk. What a message holds is its number, in the cell and in each of its lines.
 * The receiver tells of what it has taken when a quarter of the cells or an eighth of the ring has come together.
 *
 * -DNO_RELEASE writes a cell's turn before what it announces, -DNO_CREDIT lets the sender write without looking
 * whether there is room, -DLAZY lets the receiver keep back more than it may: Spin must then find an error.
 */
#define CELLS 4
#define RING 8
#define CHUNK 2 /* the code's are an eighth of the ring at most: these wrap round sooner */
#ifndef MESSAGES
#define MESSAGES 8
#endif
#ifdef LAZY
#define KEPT_CELLS (CELLS + 1)
#define KEPT_LINES (RING + 1)
#else
#define KEPT_CELLS (CELLS / 4)
#define KEPT_LINES (RING / 8)
#endif

byte turn[CELLS], number[CELLS], lines[CELLS];
byte ring[RING];
byte credit;

inline place(next, chunk, begin) {
  begin = (RING - next % RING >= chunk -> next : next + RING - next % RING)
}

active proctype Sender() {
  byte ends[CELLS];
  byte next, taken, freed, next_place;
  byte chunk, begin, line;
  do
  :: next < MESSAGES ->
     if
     :: chunk = 0
     :: chunk = CHUNK - 1
     :: chunk = CHUNK
     fi;
     atomic { place(next_place, chunk, begin) }
#ifndef NO_CREDIT
     do
     :: next - taken < CELLS && (chunk == 0 || begin + chunk - freed <= RING) -> break
     :: else ->
        credit != taken; /* looks until it has changed */
        atomic {
          taken = credit;
          freed = ends[(taken - 1) % CELLS]
        }
     od;
#endif
#ifdef NO_RELEASE
     turn[next % CELLS] = next / CELLS + 1;
#endif
     line = 0;
     do
     :: line < chunk -> ring[(begin + line) % RING] = next + 1; line++
     :: else -> break
     od;
     atomic {
       if
       :: chunk > 0 -> next_place = begin + chunk
       :: else
       fi;
       ends[next % CELLS] = next_place
     }
     number[next % CELLS] = next + 1;
     lines[next % CELLS] = chunk;
#ifndef NO_RELEASE
     turn[next % CELLS] = next / CELLS + 1;
#endif
     next++
  :: else -> break
  od
}

active proctype Receiver() {
  byte next, next_place, told, told_place;
  byte begin, line;
  do
  :: next < MESSAGES ->
     turn[next % CELLS] == next / CELLS + 1;
     assert(number[next % CELLS] == next + 1);
     atomic { place(next_place, lines[next % CELLS], begin) }
     line = 0;
     do
     :: line < lines[next % CELLS] ->
        assert(ring[(begin + line) % RING] == next + 1);
        line++
     :: else -> break
     od;
     atomic {
       if
       :: line > 0 -> next_place = begin + line
       :: else
       fi;
       next++
     }
     if
     :: next - told < KEPT_CELLS && next_place - told_place < KEPT_LINES
     :: else ->
        atomic { told = next; told_place = next_place }
        credit = next
     fi
  :: else -> break
  od
}
