/* A channel (src/transport/shm/channel.hpp) as a model for Spin: does every message come out once, whole and in
 * order, and does nobody wait for ever?
 *
 * Slots and ring are the code's with smaller numbers: a message is of no lines of the ring (it is in its slot) or
 * of up to a chunk's, in one chunk. What a message holds is its number, in the slot and in each of its lines. The
 * receiver gives credit for what it has taken when a quarter of the slots or an eighth of the ring has come
 * together.
 *
 * -DNO_RELEASE writes a slot's sequence number before what it announces, -DNO_CREDIT lets the sender write
 * without looking whether there is room, -DLAZY lets the receiver keep back more than it may: Spin must then find
 * an error.
 */
#define SLOTS 4
#define RING 8
#define CHUNK 2 /* the code's are an eighth of the ring at most: these wrap round sooner */
#ifndef MESSAGES
#define MESSAGES 8
#endif
#ifdef LAZY
#define KEPT_SLOTS (SLOTS + 1)
#define KEPT_LINES (RING + 1)
#else
#define KEPT_SLOTS (SLOTS / 4)
#define KEPT_LINES (RING / 8)
#endif

byte sequence[SLOTS], number[SLOTS], lines[SLOTS];
byte ring[RING];
byte credit;

inline position(next, chunk, begin) {
  begin = (RING - next % RING >= chunk -> next : next + RING - next % RING)
}

active proctype Sender() {
  byte ends[SLOTS];
  byte next, taken, freed, next_position;
  byte chunk, begin, line;
  do
  :: next < MESSAGES ->
     if
     :: chunk = 0
     :: chunk = CHUNK - 1
     :: chunk = CHUNK
     fi;
     atomic { position(next_position, chunk, begin) }
#ifndef NO_CREDIT
     do
     :: next - taken < SLOTS && (chunk == 0 || begin + chunk - freed <= RING) -> break
     :: else ->
        credit != taken; /* looks until it has changed */
        atomic {
          taken = credit;
          freed = ends[(taken - 1) % SLOTS]
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
       :: chunk > 0 -> next_position = begin + chunk
       :: else
       fi;
       ends[next % SLOTS] = next_position
     }
     number[next % SLOTS] = next + 1;
     lines[next % SLOTS] = chunk;
#ifndef NO_RELEASE
     sequence[next % SLOTS] = next / SLOTS + 1;
#endif
     next++
  :: else -> break
  od
}

active proctype Receiver() {
  byte next, next_position, credited, credited_position;
  byte begin, line;
  do
  :: next < MESSAGES ->
     sequence[next % SLOTS] == next / SLOTS + 1;
     assert(number[next % SLOTS] == next + 1);
     atomic { position(next_position, lines[next % SLOTS], begin) }
     line = 0;
     do
     :: line < lines[next % SLOTS] ->
        assert(ring[(begin + line) % RING] == next + 1);
        line++
     :: else -> break
     od;
     atomic {
       if
       :: line > 0 -> next_position = begin + line
       :: else
       fi;
       next++
     }
     if
     :: next - credited < KEPT_SLOTS && next_position - credited_position < KEPT_LINES
     :: else ->
        atomic { credited = next; credited_position = next_position }
        credit = next
     fi
  :: else -> break
  od
}
